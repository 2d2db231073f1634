internal import Glibc

/// What was there to be read on a connection before the parser read it.
struct SeenInput {
    /// Its bytes, as far as a request is ever kept.
    let start: [UInt8]
    /// How many bytes there were.
    let count: Int

    init(_ input: UnsafeRawBufferPointer) {
        start = Array(input.prefix(HTTPFrontLimits.keptRequestBytesMax))
        count = input.count
    }
}

/// The line and headers of a request that was parsed, by which the same request with another
/// number in one place is known without parsing it.
///
/// Of such a request everything but that number means what it meant before, because the bytes are
/// the same. Where the number is the length of the body, the body follows, all of it. What differs
/// in any other way, is not complete, or has something behind it, is not told apart further: it is
/// no repetition.
struct RequestModel {
    /// The request, from its first byte to the last of the empty line.
    let bytes: [UInt8]
    /// Where the value stands in them.
    let value: Range<Int>
    /// The target as it was sent.
    let target: [UInt8]
    /// Whether the value is the length of a body.
    let hasBody: Bool

    /// Where the parts of a repetition that may differ lie in it.
    struct Parts {
        let value: Range<Int>
        /// What the value of Content-Length counts, else empty.
        let body: Range<Int>
    }

    /// A model of the request that was parsed from `seen`; nil when it has to be parsed each time.
    ///
    /// - Parameters:
    ///   - seen: What was there to be read before the parser read.
    ///   - headBytes: How long the parser found the request's line and headers to be.
    init?(_ seen: SeenInput, headBytes: Int, head: RequestHead, valueAt place: ValuePlace) {
        hasBody = if case .length = place { true } else { false }
        guard Self.isPossible(of: head, headBytes: headBytes), headBytes <= seen.start.count,
            head.method == (hasBody ? "POST" : "GET"),
            let bodyBytes = Self.bodyBytes(of: head), seen.count == headBytes + bodyBytes
        else { return nil }
        let bytes = Array(seen.start.prefix(headBytes))
        guard let target = Self.target(of: head, in: bytes) else { return nil }
        switch place {
        case .target(let range):
            // Without it, digits would be more of the parameter's name.
            guard range.upperBound <= target.count, range.lowerBound > 0,
                bytes[target.lowerBound + range.lowerBound - 1] == UInt8(ascii: "=")
            else { return nil }
            value = target.lowerBound + range.lowerBound..<target.lowerBound + range.upperBound
        case .header(let name):
            guard let range = Self.value(of: name, head.headers, in: bytes, behind: target)
            else { return nil }
            value = range
        case .length:
            guard
                let range = Self.value(
                    of: "content-length", head.headers, in: bytes, behind: target)
            else { return nil }
            value = range
        }
        self.bytes = bytes
        self.target = Array(bytes[target])
    }

    /// Whether a request of this head may have a model, as far as can be said without its bytes.
    static func isPossible(of head: RequestHead, headBytes: Int) -> Bool {
        guard head.version == .http11, headBytes <= HTTPFrontLimits.keptRequestBytesMax,
            unrepeatable.allSatisfy({ head.headers.occurrences(of: $0) == 0 }),
            asksNothingOfTheConnection(head.headers), let bodyBytes = bodyBytes(of: head)
        else { return false }
        let lengths = head.headers.occurrences(of: "content-length")
        return lengths == (head.method == "POST" ? 1 : 0)
            && headBytes + bodyBytes < HTTPFrontLimits.peekedBytesMax
    }

    /// The parts of a request that repeats this one; nil of any other input.
    ///
    /// - Complexity: O(bytes of the model).
    func parts(of input: UnsafeRawBufferPointer) -> Parts? {
        guard input.count >= bytes.count - value.count else { return nil }
        let number = Self.number(in: input[value.lowerBound...])
        let headBytes = bytes.count - value.count + number.digits
        guard Self.digits.contains(number.digits), headBytes <= input.count,
            input.count - headBytes == (hasBody ? number.value : 0)
        else { return nil }
        let end = value.lowerBound + number.digits
        let isSame = bytes.withUnsafeBytes { bytes in
            memcmp(bytes.baseAddress!, input.baseAddress!, value.lowerBound) == 0
                && memcmp(
                    bytes.baseAddress! + value.upperBound, input.baseAddress! + end,
                    bytes.count - value.upperBound) == 0
        }
        guard isSame else { return nil }
        return Parts(value: value.lowerBound..<end, body: headBytes..<input.count)
    }

    /// The decimal number that bytes begin with, as far as it may be a value.
    private static func number(in bytes: Slice<UnsafeRawBufferPointer>) -> (
        digits: Int, value: Int
    ) {
        var digits = 0
        var value = 0
        for byte in bytes {
            guard let digit = byte.decimalValue else { break }
            digits += 1
            guard digits <= Self.digits.upperBound else { break }
            value = value * 10 + Int(digit)
        }
        return (digits, value)
    }

    /// How long the body is that a head announces; nil when it does not say.
    private static func bodyBytes(of head: RequestHead) -> Int? {
        switch head.bodyLength {
        case .none: 0
        case .counted(let bytes): Int(exactly: bytes)
        case .chunked: nil
        }
    }

    /// Where the target stands, if the bytes begin as a request of this head does.
    private static func target(of head: RequestHead, in bytes: [UInt8]) -> Range<Int>? {
        let begin = head.method.utf8.count + 1
        let end = begin + head.target.raw.utf8.count
        guard bytes.count > end, bytes.starts(with: head.method.utf8),
            bytes[begin - 1] == UInt8(ascii: " "),
            bytes[begin..<end].elementsEqual(head.target.raw.utf8),
            bytes[end...].starts(with: bytesOf(version))
        else { return nil }
        return begin..<end
    }

    /// Where the value of a field stands: on the one line that begins with its name, provided that
    /// it is what the parser took for the value.
    private static func value(
        of name: StaticString, _ headers: HeaderFields, in bytes: [UInt8], behind target: Range<Int>
    ) -> Range<Int>? {
        guard headers.occurrences(of: name) == 1 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var start = target.upperBound
            while let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                start = feed + 1
                let colon = start + name.utf8CodeUnitCount
                guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
                    UnsafeRawBufferPointer(rebasing: bytes[start..<colon]).equalsIgnoringCase(name)
                else { continue }
                let begin = bytes[(colon + 1)...].firstIndex { !$0.isBlank } ?? bytes.count
                let isIt = headers.withFirst(name) { value in
                    bytes[begin...].starts(with: value) ? value.count : nil
                }
                return (isIt ?? nil).map { begin..<begin + $0 }
            }
            return nil
        }
    }

    private static func bytesOf(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// What stands behind the target; other versions are parsed.
    private static let version: StaticString = " HTTP/1.1\r\n"
    /// 2^53, below which JSON's readers count exactly, has 16.
    private static let digits = 1...16
    /// What makes a request more than its line and a body of known length: something asked of the
    /// connection.
    private static let unrepeatable: [StaticString] = ["transfer-encoding", "expect", "upgrade"]

    /// Many clients ask for what HTTP/1.1 does anyway, to keep the connection.
    private static func asksNothingOfTheConnection(_ headers: HeaderFields) -> Bool {
        switch headers.occurrences(of: "connection") {
        case 0: true
        case 1: headers.withFirst("connection") { $0.equalsIgnoringCase("keep-alive") } == true
        default: false
        }
    }
}
