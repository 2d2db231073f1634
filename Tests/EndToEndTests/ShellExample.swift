/// One fenced `sh` block of a document: commands, and behind each what it is to print.
///
/// Lines that begin with `# ` are output; `…` in one stands for any text, and alone for any lines.
/// An id of 16 digits stands for any id, a time with microseconds for any time.
/// All else goes to the shell, and the last commands print nothing if no output follows them.
///
/// A block `sh NAME` is a script, which is to be saved under that name; `sh not-run` is neither.
struct ShellExample {
    /// Some commands and the lines they print together.
    struct Step: Equatable {
        var commands: [String] = []
        var expected: [String] = []
    }

    /// The line of the document on which the block begins, from 1.
    let line: Int
    let steps: [Step]

    /// Every block of a document that is to be run as it is, in its order.
    static func all(in document: String) -> [ShellExample] {
        FencedBlock.all(in: document).filter { $0.kind == "sh" }.map {
            ShellExample(line: $0.line, steps: steps(of: $0.lines))
        }
    }

    /// The scripts that a document has its reader save, by name.
    static func files(in document: String) -> [String: String] {
        var files: [String: String] = [:]
        for block in FencedBlock.all(in: document)
        where block.kind.hasPrefix("sh ") && block.kind != "sh not-run" {
            files[String(block.kind.dropFirst(3))] = block.text
        }
        return files
    }

    /// What a shell is to run: the commands, and a mark behind the output of each step.
    var script: String {
        steps.map { $0.commands.joined(separator: "\n") + "\nprintf '\\n\\036\\n'\n" }.joined()
    }

    /// What is wrong with the output of `script`; nil if every step printed what it was to.
    func objection(to output: String) -> String? {
        let marked = output.replacing("\r\n", with: "\n").split(
            separator: "\n\u{1E}\n", omittingEmptySubsequences: false)
        for (index, step) in steps.enumerated() {
            guard index < marked.count - 1 else { return "the shell ended before \(step.commands)" }
            var lines = marked[index].split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last == "" { lines.removeLast() }
            if !Self.matches(step.expected[...], lines[...]) {
                return """
                    \(step.commands.joined(separator: "\n"))
                    is to print
                    \(step.expected.joined(separator: "\n"))
                    and printed
                    \(lines.joined(separator: "\n"))
                    """
            }
        }
        return nil
    }

    private static func steps(of lines: [Substring]) -> [Step] {
        var steps = [Step()]
        for line in lines {
            if line.hasPrefix("# ") {
                steps[steps.count - 1].expected.append(pattern(of: line.dropFirst(2)))
            } else {
                if !steps[steps.count - 1].expected.isEmpty { steps.append(Step()) }
                steps[steps.count - 1].commands.append(String(line))
            }
        }
        return steps
    }

    /// A printed line with `…` for what is another in every run.
    private static func pattern(of line: Substring) -> String {
        String(line).replacing(/\b[0-9]{16}\b/, with: "…")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z/, with: "…")
            // A column of ages is as wide as the largest.
            .replacing(/[0-9]+s ago +/, with: "…").replacing(/NEWEST +/, with: "NEWEST…")
    }

    private static func matches(
        _ expected: ArraySlice<String>, _ lines: ArraySlice<Substring>
    ) -> Bool {
        guard let first = expected.first else { return lines.isEmpty }
        if first == "…" {
            return (lines.startIndex...lines.endIndex).contains {
                matches(expected.dropFirst(), lines[$0...])
            }
        }
        guard let line = lines.first, matches(first, line) else { return false }
        return matches(expected.dropFirst(), lines.dropFirst())
    }

    /// Whether a line is `pattern` with some text in the place of each `…`.
    private static func matches(_ pattern: String, _ line: Substring) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard let head = parts.first, let tail = parts.last, line.hasPrefix(head) else {
            return false
        }
        if parts.count == 1 { return line == head }
        var rest = line.dropFirst(head.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(tail)
    }
}
