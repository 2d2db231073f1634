/// The target of a request, decoded once, from the bytes of the request line.
///
/// Decoding happens after the target was split at `/`, `?`, `&` and `=`, so that encoded ones are
/// data and never borders.
///
/// Does not promise that a path means anything, nor removes `.` and `..` segments: no route has
/// them.
public struct RequestTarget: Sendable {
    /// How the target was written (RFC 9112 section 3.2).
    public enum Form: Sendable, Equatable {
        /// `/path?query`.
        case origin
        /// `http://authority/path?query`, whose authority takes the place of Host.
        case absolute(Authority)
        /// `*`, which asks about the server as a whole.
        case asterisk
    }

    /// How the target was written.
    public let form: Form

    /// The prefix in front of the path in `raw`, and of paths in the answer.
    public let prefix: PathPrefix

    /// Whether the target is not below the prefix; its path is then the whole of it.
    public let isOutsidePrefix: Bool

    /// The path's segments behind the prefix, decoded: `/topics/a%20b` is `["topics", "a b"]`, `/` is none, and a
    /// path that ends in `/` has an empty last one.
    public let path: [String]

    /// The query's parameters, decoded.
    public let query: QueryItems

    /// The whole target as it was sent.
    public let raw: String

    /// The place of the path in `raw`, behind the prefix, counted in bytes.
    public let pathRange: Range<Int>

    /// The path as it was sent, without the prefix and the query.
    public var rawPath: Substring {
        let utf8 = raw.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: pathRange.lowerBound)
        return raw[start..<utf8.index(start, offsetBy: pathRange.count)]
    }

    /// Reads a target in origin, absolute or asterisk form.
    ///
    /// - Parameter prefix: The prefix that its path begins with, and that is no part of `path`.
    /// - Throws: `TargetError` for NUL, controls, blanks and fragments anywhere, an encoded `/` in
    ///   the path, a bad percent escape, bytes that are not UTF-8 once decoded, too many
    ///   parameters, and any other form.
    /// - Complexity: O(bytes).
    public init(
        _ raw: UnsafeRawBufferPointer, below prefix: PathPrefix = PathPrefix()
    ) throws(TargetError) {
        var question = raw.count
        var isASCII = true
        for index in 0..<raw.count {
            let byte = raw[index]
            if byte.isControl || byte == 0x20 || byte == UInt8(ascii: "#") {
                throw TargetError(forbidden: byte, at: index)
            }
            isASCII = isASCII && byte < 0x80
            if byte == UInt8(ascii: "?"), question == raw.count { question = index }
        }
        guard let first = raw.first else { throw TargetError(detail: "The target is empty.") }

        var pathStart = 0
        if first == UInt8(ascii: "/") {
            form = .origin
        } else if raw.count == 1, first == UInt8(ascii: "*") {
            form = .asterisk
            pathStart = 1
        } else {
            let authority = try Self.authority(in: raw, until: question)
            form = .absolute(authority.value)
            pathStart = authority.end
        }
        let pathBegin = form == .asterisk ? pathStart : prefix.end(in: raw, pathStart..<question)
        self.prefix = prefix
        isOutsidePrefix = pathBegin == nil
        pathRange = (pathBegin ?? pathStart)..<question
        path = try Self.segments(of: raw, in: pathRange)
        query =
            question < raw.count
            ? try QueryItems(decoding: raw, question + 1..<raw.count) : QueryItems()
        let text =
            isASCII
            ? String(decoding: raw, as: UTF8.self) : String(validating: raw, as: UTF8.self)
        guard let text else {
            throw TargetError(detail: "The target is not UTF-8; other bytes are written %XX.")
        }
        self.raw = text
    }

    /// Reads a target from text, as tests and tools have it.
    public init(_ text: String, below prefix: PathPrefix = PathPrefix()) throws(TargetError) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(TargetError) in
                try Self(UnsafeRawBufferPointer(bytes), below: prefix)
            }
        }
        self = try result.get()
    }

    private static func authority(
        in raw: UnsafeRawBufferPointer, until end: Int
    ) throws(TargetError) -> (value: Authority, end: Int) {
        guard raw.count >= 7,
            UnsafeRawBufferPointer(rebasing: raw[..<7]).equalsIgnoringCase("http://")
        else {
            throw TargetError(
                detail: "The target is neither a path that begins with / nor an http:// address.")
        }
        var slash = 7
        while slash < end, raw[slash] != UInt8(ascii: "/") { slash += 1 }
        guard let authority = Authority(UnsafeRawBufferPointer(rebasing: raw[7..<slash])) else {
            throw TargetError(detail: "The target's host is malformed.")
        }
        return (authority, slash)
    }

    private static func segments(
        of raw: UnsafeRawBufferPointer, in range: Range<Int>
    ) throws(TargetError) -> [String] {
        guard range.count > 1 else { return [] }
        var segments: [String] = []
        segments.reserveCapacity(4)
        var start = range.lowerBound + 1
        while true {
            var end = start
            while end < range.upperBound, raw[end] != UInt8(ascii: "/") { end += 1 }
            segments.append(try PercentDecoding.segment(raw, start..<end))
            if end == range.upperBound { return segments }
            start = end + 1
        }
    }
}
