internal import Glibc

/// An event stream, read as browsers do (WHATWG HTML, section 9.2.6), but strictly: fields that
/// the standard says to ignore are malformed, and so is a comment with text.
public struct EventStreamReader: Sendable {
    /// What a stream says.
    public enum Item: Equatable, Sendable {
        /// An event that is dispatched. `id` and `type` are nil if its own lines did not say them.
        case event(id: String?, type: String?, data: String)
        /// An id that is remembered while nothing is dispatched.
        case id(String)
        /// How many milliseconds to wait before the next attempt.
        case retry(Int)
        /// A comment.
        case comment
    }

    private var queue = ByteQueue()
    private var line: [UInt8] = []
    private var data: [String] = []
    private var type: String?
    private var id: String?

    /// The stream before its first byte.
    public init() {}

    /// Takes what arrived, and returns what was said in whole.
    public mutating func feed(_ bytes: [UInt8]) throws(RawClient.Failure) -> [Item] {
        var items: [Item] = []
        queue.append(bytes)
        while let part = queue.takeLine() {
            line += part
            if Self.holdsCR(line) {
                try take(line + [0x0A], into: &items)
            } else {
                try take(line: line[...], into: &items)
            }
            line = []
        }
        // A line may end by CR alone; whether an LF belongs to it, the next byte says.
        line += queue.takeAll()
        return items
    }

    /// What was begun and is not there in whole has to be nothing when a stream ends.
    public func finish() throws(RawClient.Failure) {
        guard line.isEmpty, data.isEmpty, type == nil, id == nil else {
            throw .malformed("an event stream ends in the middle of an event")
        }
    }

    private static func holdsCR(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { $0.count > 0 && memchr($0.baseAddress!, 0x0D, $0.count) != nil }
    }

    /// Takes text that ends by LF and may hold lines that end by CR.
    private mutating func take(_ text: [UInt8], into items: inout [Item]) throws(RawClient.Failure)
    {
        var rest = text[...]
        while let end = rest.firstIndex(where: { $0 == 0x0D || $0 == 0x0A }) {
            try take(line: rest[..<end], into: &items)
            let isCRLF = rest[end] == 0x0D && end + 1 < rest.endIndex && rest[end + 1] == 0x0A
            rest = rest[(end + (isCRLF ? 2 : 1))...]
        }
    }

    private mutating func take(
        line: ArraySlice<UInt8>, into items: inout [Item]
    ) throws(RawClient.Failure) {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw .malformed("a line of an event stream is not UTF-8")
        }
        guard !text.isEmpty else { return dispatch(into: &items) }
        guard text != ":" else { return items.append(.comment) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .malformed("a line without a colon: \(text)")
        }
        var value = text[text.index(after: colon)...]
        // By bytes: with a mark behind it, the space belongs to another character.
        if value.utf8.first == 0x20 { value = Substring(value.utf8.dropFirst()) }
        switch text[..<colon] {
        case "data": data.append(String(value))
        case "event":
            guard type == nil, !value.isEmpty else { throw .malformed("type again: \(text)") }
            type = String(value)
        case "id":
            guard id == nil, let number = UInt64(value), "\(number)" == value else {
                throw .malformed("id again, or none: \(text)")
            }
            id = String(value)
        case "retry":
            guard let number = UInt32(value), "\(number)" == value else {
                throw .malformed("no number: \(text)")
            }
            items.append(.retry(Int(number)))
        default: throw .malformed("an unknown field or a comment with text: \(text)")
        }
    }

    private mutating func dispatch(into items: inout [Item]) {
        if !data.isEmpty {
            items.append(.event(id: id, type: type, data: data.joined(separator: "\n")))
        } else if let id {
            items.append(.id(id))
        }
        data = []
        type = nil
        id = nil
    }
}
