internal import BelfryClient
internal import Topics
internal import Wire

/// The words behind the name of a command, read by its row of the table.
struct Arguments: Sendable {
    let operands: [String]
    /// The program behind `--`, with its arguments; empty where there is none.
    let program: [String]
    private let values: [String: [String]]

    /// Reads `words`, which stand behind the name of `command`.
    ///
    /// - Throws: a failure of usage, which names the word.
    init(_ words: ArraySlice<String>, of command: CommandRow) throws(CommandFailure) {
        var (operands, values) = ([String](), [String: [String]]())
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                guard command.takesProgram || command.needsProgram else {
                    throw CommandFailure(.usage, "'belfry \(command.name)' runs no program")
                }
                guard !rest.isEmpty else {
                    throw CommandFailure(.usage, "behind '--' there is no program")
                }
                break
            }
            guard word.hasPrefix("-"), word.count > 1 else {
                try Self.refuseProgram(word, behind: operands, of: command)
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            var name = word.hasPrefix("--") ? String(parts[0]) : word
            guard let option = command.allOptions.first(where: { $0.isNamed(name) }) else {
                throw CommandFailure(
                    .usage, Self.unknownOption(name, behind: operands, of: command))
            }
            // One name stands for all in the table of values.
            name = option.name
            guard values[name] == nil || option.repeats else {
                throw CommandFailure(.usage, "'\(name)' is given twice")
            }
            let inWord = word.hasPrefix("--") && parts.count == 2 ? String(parts[1]) : nil
            if option.value == nil {
                guard inWord == nil else {
                    throw CommandFailure(.usage, "'\(name)' takes no value")
                }
                values[name] = [""]
            } else {
                guard let value = inWord ?? Self.value(&rest, of: command) else {
                    throw CommandFailure(
                        .usage,
                        "'\(name)' lacks its \(option.value!). A shell takes $NAME for a variable: "
                            + "a value with a $ stands between single quotes")
                }
                values[name, default: []].append(value)
            }
        }
        (self.operands, self.values, program) = (operands, values, Array(rest))
        guard !has("--help") else { return }
        guard command.operandCount.contains(operands.count), !command.needsProgram || !rest.isEmpty
        else {
            throw CommandFailure(.usage, "usage: \(command.usage)")
        }
    }

    /// The value of an option in the word behind it; nil where that is another option or begins the program. A shell
    /// leaves no word of a variable that is not set: `--type $silent -- mail` would wait for the type `--`.
    private static func value(_ rest: inout ArraySlice<String>, of command: CommandRow) -> String? {
        let isOption = rest.first.map { word in
            word == "--"
                || word.hasPrefix("--")
                    && command.allOptions.contains { $0.isNamed(String(word.prefix { $0 != "=" })) }
        }
        return isOption == true ? nil : rest.popFirst()
    }

    /// The sentence about an unknown option. People forget the `--` before a program.
    private static func unknownOption(
        _ name: String, behind operands: [String], of command: CommandRow
    ) -> String {
        let sentence = "'belfry \(command.name)' has no option '\(name)'"
        if command.mayHaveProgram, let program = operands.last, operands.count > 1 {
            return "\(sentence). A program stands behind '--', as in '-- \(program) \(name)'"
        }
        let nearest = Nearest.question(about: name, among: command.allOptions.map(\.name))
        return sentence + (nearest.isEmpty ? ": see --help" : nearest)
    }

    /// Refuses an operand that can only be the file of a program.
    private static func refuseProgram(
        _ word: String, behind operands: [String], of command: CommandRow
    ) throws(CommandFailure) {
        guard command.mayHaveProgram, !operands.isEmpty, word.contains("/") else { return }
        throw CommandFailure(
            .usage, "'\(word)' is no topic. A program stands behind '--', as in '-- \(word)'")
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func text(_ name: String) -> String? { values[name]?.first }

    /// The attributes that the options name: those of an event to publish, or of a filter.
    func attributes(ofPublisher: Bool) throws(CommandFailure) -> EventAttributes {
        var list: [EventAttributes.Attribute] = []
        for text in values["--attribute"] ?? [] {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw CommandFailure(.usage, "'--attribute \(text)' is no NAME=VALUE")
            }
            guard !list.contains(where: { $0.name == parts[0] }) else {
                throw CommandFailure(.usage, "the attribute '\(parts[0])' is given twice")
            }
            list.append(
                EventAttributes.Attribute(name: String(parts[0]), value: String(parts[1])))
        }
        do throws(AttributeError) {
            return try ofPublisher
                ? EventAttributes(given: list) : EventAttributes(kept: list)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// A duration, in microseconds.
    func duration(_ name: String) throws(CommandFailure) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let read = Quantity.microseconds(text) else {
            throw CommandFailure(.usage, "'\(name) \(text)' is no time: write 500ms, 30s or 1h30m")
        }
        return read
    }

    /// How many programs may run at once.
    func parallel() throws(CommandFailure) -> Int {
        let count = try count("--parallel") ?? 1
        guard count <= Limits.parallelMax else {
            throw CommandFailure(.usage, "'--parallel' is at most \(Limits.parallelMax)")
        }
        return count
    }

    /// A number from 1 on.
    func count(_ name: String) throws(CommandFailure) -> Int? {
        guard let text = text(name) else { return nil }
        guard let read = Int(text), read > 0 else {
            throw CommandFailure(.usage, "'\(name) \(text)' is no number from 1 on")
        }
        return read
    }
}
