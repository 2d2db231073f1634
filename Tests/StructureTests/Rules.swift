import Foundation
import TestSupport

/// What every file of the project keeps to; each rule returns what breaks it in one file.
enum Rules {
    /// The longest file under `Sources/`, in lines: more is two nouns.
    static let linesMax = 400

    /// What escapes the compiler has its reason in the comment directly above: above its line, or
    /// above the one-line signature of the body that it begins. There, and in a documentation
    /// comment, the reason has to name what it is about.
    static func reasons(in file: SourceFile) -> [Violation] {
        let escapes = escapes.filter { file.codeText.has($0.written) }
        guard file.isSwift, !escapes.isEmpty else { return [] }
        return file.code.enumerated().flatMap { line, code in
            escapes.filter { code.has($0.written) }
                .filter { !hasReason($0.name, at: line, in: file) }
                .map { file.violation(at: line, "\($0.written) has no reason on the line above") }
        }
    }

    /// Order is made with gates and manual clocks.
    static func sleeps(in file: SourceFile) -> [Violation] {
        matches(
            #"\b(u|nano|clock_nano)?sleep\s*\(|\.sleep\b"#, in: file,
            "a sleep makes no order: wait at a gate, or move a manual clock")
    }

    /// A test that blocks does so on a thread where it keeps no task of others from going on.
    static func blocking(in file: SourceFile) -> [Violation] {
        guard !file.codeText.has(".blocking"), file.codeText.has("@Test") else { return [] }
        return matches(
            #"(?<!await )\b(inParallel|RunningDaemon|RawClient|LoopServer)\("#, in: file,
            "a test that blocks its thread says so: @Suite(.blocking)")
    }

    /// An encoding of an event is kept for others, who ask later: it follows from the event alone.
    static func moments(in file: SourceFile) -> [Violation] {
        guard file.path.contains("/BusAPI/Encodings/") else { return [] }
        return matches(
            #"Clock\b|\bnow\b"#, in: file,
            "an encoding that is kept tells no time of the moment: add that where it is sent")
    }

    /// A block of a test does not stand behind the jobs of all other tests.
    static func queues(in file: SourceFile) -> [Violation] {
        matches(
            #"\bDispatchQueue\.global\b"#, in: file,
            "the threads of this queue have the jobs of all tests to do: use onThreadOfItsOwn")
    }

    /// A test is left out for one of a few reasons, each of which says so.
    static func conditions(in file: SourceFile) -> [Violation] {
        guard file.path != "Tests/TestSupport/Conditions.swift" else { return [] }
        return matches(
            #"\.(enabled|disabled)\s*\("#, in: file,
            "a condition of its own: use those of Conditions.swift, and let a missing program fail")
    }

    /// One lock serves the whole project, because the thread sanitizer has to see through it.
    static func locks(in file: SourceFile) -> [Violation] {
        guard file.module != "Protection" else { return [] }
        return matches(
            #"\b(Mutex|NSLock|NSRecursiveLock|DispatchSemaphore|pthread_(mutex|rwlock|spin|cond)\w*)\b"#,
            in: file, "a lock of its own: guard the value with Protected")
    }

    /// A file is one noun.
    static func length(of file: SourceFile) -> [Violation] {
        let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
        guard count > linesMax else { return [] }
        return [file.violation(at: linesMax, "\(count) lines are more than \(linesMax): split it")]
    }

    /// What is promised for later is not there: no word of it, in comments and literals neither.
    static func promises(in file: SourceFile) -> [Violation] {
        let text = file.lineText.lowercased()
        guard promisingWords.contains(where: { text.has($0.lowercased()) }) else { return [] }
        return file.lines.enumerated().flatMap { line, text in
            // HTML calls the hint in an empty field so.
            let text = isOfPage(file) ? text.replacing("place" + "holder", with: "") : text
            return promisingWords.filter { text.localizedCaseInsensitiveContains($0) }
                .map { file.violation(at: line, "'\($0)' is a promise: build it, or leave it out") }
        }
    }

    private static func isOfPage(_ file: SourceFile) -> Bool {
        file.path.hasPrefix("Sources/Daemon/Page/Files/")
    }

    /// A module that bounds anything has one file of its bounds.
    static func limits(in files: [SourceFile]) -> [Violation] {
        let modulesWithLimits = Set(files.filter { $0.name == "Limits.swift" }.map(\.module))
        return files.filter { !modulesWithLimits.contains($0.module) }.flatMap { file in
            matches(
                #"\blet\s+\w+(Max|Min)\b[^=\n]*=\s*-?\d"#, in: file,
                "\(file.module) has a bound, but no Limits.swift")
        }
    }

    private static let escapes = [
        (written: "@unchecked Sendable", name: "@unchecked"),
        (written: "nonisolated(unsafe)", name: "nonisolated(unsafe)"),
        (written: "Unmanaged", name: "Unmanaged"),
    ]

    // In parts, so that this file keeps its own rule.
    private static let promisingWords = ["TO" + "DO", "FIX" + "ME", "place" + "holder"]

    private static func hasReason(_ name: String, at line: Int, in file: SourceFile) -> Bool {
        let (comment, isDocumentation) = commentAbove(line, in: file)
        if let comment, !isDocumentation || comment.contains(name) { return true }
        guard comment == nil, line > 0, file.code[line - 1].hasSuffix("{") else { return false }
        return commentAbove(line - 1, in: file).text?.contains(name) ?? false
    }

    /// The comment that ends right above a line, and whether all of it is documentation.
    private static func commentAbove(
        _ line: Int, in file: SourceFile
    ) -> (text: String?, isDocumentation: Bool) {
        let comment = file.lines[..<line].reversed()
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .prefix { $0.hasPrefix("//") }
        guard !comment.isEmpty else { return (nil, false) }
        return (comment.joined(separator: "\n"), comment.allSatisfy { $0.hasPrefix("///") })
    }

    private static func matches(
        _ pattern: String, in file: SourceFile, _ sentence: String
    ) -> [Violation] {
        guard file.isSwift, let expression = try? NSRegularExpression(pattern: pattern) else {
            return []
        }
        let code = file.codeText as NSString
        let places = expression.matches(
            in: file.codeText, range: NSRange(location: 0, length: code.length))
        return places.map { place in
            let above = code.substring(to: place.range.location)
            return file.violation(at: above.utf8.count { $0 == UInt8(ascii: "\n") }, sentence)
        }
    }
}
