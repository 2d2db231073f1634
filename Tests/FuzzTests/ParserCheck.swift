/// One parser of ours, and what has to hold for whatever bytes it is given.
///
/// A check reads its input in more than one way, or writes back what it has read, and compares:
/// that nothing crashes is the least of it. `make fuzz` looks for inputs that break a check, and
/// the tests replay those that it has kept.
struct ParserCheck: Sendable {
    /// The name of the parser, and of the file of its inputs.
    let name: String
    /// Bytes of an input at the most: enough to step over every bound of the parser's own.
    let bytesMax: Int
    /// Throws what does not hold.
    let check: @Sendable (UnsafeRawBufferPointer) throws -> Void

    init(
        _ name: String, bytesMax: Int,
        check: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.name = name
        self.bytesMax = bytesMax
        self.check = check
    }

    /// Every parser that reads what strangers write.
    static let all: [ParserCheck] = [
        .target, .query, .head, .unreadHead, .knownHead, .headCache, .authority, .chunks,
        .page, .publishHeaders,
        .handshake, .frames,
        .utf8,
        .names, .since, .quantities, .times,
        .groups,
        .json, .messages, .base64, .lines, .envelopes,
        .iniFile, .configuration, .addresses, .access, .tokens,
    ]
}

/// Something that should hold and does not.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Goes on only if `condition` holds.
func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(Broken) {
    guard condition else { throw Broken(description: sentence()) }
}

/// Goes on only if both readings agree.
func agree<Value: Equatable>(_ one: Value, _ other: Value, _ what: String) throws(Broken) {
    guard one == other else {
        throw Broken(
            description: "\(what): \(String(reflecting: one)) and \(String(reflecting: other))")
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as text, if they are UTF-8.
    var utf8: String? { String(validating: self, as: UTF8.self) }

    /// The bytes as text, what is not UTF-8 replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The bytes between line feeds, at most so many; the last has what is left.
    func parts(_ count: Int) -> [UnsafeRawBufferPointer] {
        split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { UnsafeRawBufferPointer(rebasing: $0) }
    }
}
