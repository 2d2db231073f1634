internal import Glibc

/// The line and headers of a request that has arrived and that libmicrohttpd has not read yet.
///
/// Each libmicrohttpd refuses other broken requests by itself, in HTML or by closing, and takes
/// others for something else. Looked at before, a broken request gets the same answer from us on
/// every system. This looks only for what no client sends by intent; everything else is the
/// parser's, and so is a head that has not come whole.
///
/// - Complexity: O(bytes of the head).
struct UnreadHead {
    enum Finding: Equatable {
        /// Nothing is wrong with its form, or it is not there to its end, or it is of a version
        /// other than 1, which the parser refuses.
        case nothing
        /// It is no request of HTTP/1: what to say of it.
        case broken(String)
        /// Its lines are in order, but Host or a header that says where the body ends is not as
        /// every reader expects it.
        case doubtful
    }

    private(set) var method = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var target = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var version = HTTPVersion.http11
    private(set) var finding = Finding.nothing

    /// Where its first header begins in the input.
    private var headersStart = 0
    private let input: UnsafeRawBufferPointer
    private var hosts = 0
    private var codings = 0
    private var isFramingOdd = false
    private var isOfVersion1 = false

    /// The head that `input` begins with; `input` must outlive it.
    init(_ input: UnsafeRawBufferPointer) {
        self.input = input
        var start = Self.afterEmptyLines(input)
        guard let line = Self.line(in: input, from: start) else {
            // Each libmicrohttpd waits for its end in another way.
            if Self.hasLongMethod(UnsafeRawBufferPointer(rebasing: input[start...])) {
                finding = .broken(Self.longMethod)
            }
            return
        }
        if let fault = readRequestLine(line) {
            finding = .broken(fault)
            return
        }
        guard isOfVersion1 else { return }
        start = line.next
        headersStart = start
        while let line = Self.line(in: input, from: start) {
            if line.bytes.isEmpty {
                finding = isOdd ? .doubtful : .nothing
                return
            }
            if let fault = readHeader(line.bytes) {
                finding = .broken(fault)
                return
            }
            start = line.next
        }
    }

    /// The headers, of a head whose lines are in order.
    var headers: HeaderFields {
        var fields = HeaderFields()
        var start = headersStart
        while let line = Self.line(in: input, from: start), !line.bytes.isEmpty {
            let (name, value) = Self.parts(of: line.bytes)
            if let name { fields.append(name: name, value: value) }
            start = line.next
        }
        return fields
    }

    private var isOdd: Bool {
        hosts != 1 && version == .http11 || codings > 1 || isFramingOdd
    }

    /// What is wrong with the request line; nil when nothing is.
    private mutating func readRequestLine(_ line: Line) -> String? {
        if let fault = Self.strayByte(in: line.bytes) { return fault }
        if Self.hasLongMethod(line.bytes) { return Self.longMethod }
        let parts = line.bytes.split(
            separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            parts[2].starts(with: "HTTP/".utf8)
        else {
            return "The request line is not a method, a target and a version, one space between "
                + "them."
        }
        method = UnsafeRawBufferPointer(rebasing: parts[0])
        target = UnsafeRawBufferPointer(rebasing: parts[1])
        isOfVersion1 = parts[2].starts(with: "HTTP/1.".utf8)
        version = HTTPVersion(UnsafeRawBufferPointer(rebasing: parts[2])) ?? .http11
        return nil
    }

    /// What is wrong with a header's line; nil when nothing is.
    private mutating func readHeader(_ line: UnsafeRawBufferPointer) -> String? {
        if line[0].isBlank { return Self.folded }
        if let fault = Self.strayByte(in: line) { return fault }
        let (name, value) = Self.parts(of: line)
        guard let name, !name.isEmpty else { return "A header's line has no name and colon." }
        for byte in name where !byte.isTokenCharacter {
            return byte.isBlank
                ? "White space stands before the colon of a header."
                : "The name of a header holds a byte that no name may hold."
        }
        note(name, value)
        return nil
    }

    private mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"):
            hosts += 1
        case 14 where name.equalsIgnoringCase("content-length"):
            let digits = value.trimmingBlanks()
            let isNumber = digits.allSatisfy { $0.decimalValue != nil }
            if !(1...Self.lengthDigitsMax).contains(digits.count) || !isNumber {
                isFramingOdd = true
            }
        case 17 where name.equalsIgnoringCase("transfer-encoding"):
            codings += 1
            if !value.trimmingBlanks().equalsIgnoringCase("chunked") { isFramingOdd = true }
        default: break
        }
    }

    private struct Line {
        let bytes: UnsafeRawBufferPointer
        /// Where the line behind it begins.
        let next: Int
    }

    /// The line that begins at `start`, without its end; nil when that has not come.
    private static func line(in input: UnsafeRawBufferPointer, from start: Int) -> Line? {
        guard start < input.count,
            let end = memchr(input.baseAddress! + start, 0x0A, input.count - start)
        else { return nil }
        let feed = UnsafeRawPointer(end) - input.baseAddress!
        let stop = feed > start && input[feed - 1] == 0x0D ? feed - 1 : feed
        return Line(bytes: UnsafeRawBufferPointer(rebasing: input[start..<stop]), next: feed + 1)
    }

    /// Clients may send line ends behind a body (RFC 9112, section 2.2).
    private static func afterEmptyLines(_ input: UnsafeRawBufferPointer) -> Int {
        input.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? input.count
    }

    /// A header's name, nil without a colon, and what stands behind it.
    private static func parts(
        of line: UnsafeRawBufferPointer
    ) -> (name: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer) {
        guard let found = memchr(line.baseAddress!, Int32(UInt8(ascii: ":")), line.count) else {
            return (nil, line)
        }
        let colon = UnsafeRawPointer(found) - line.baseAddress!
        return (
            UnsafeRawBufferPointer(rebasing: line[..<colon]),
            UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
        )
    }

    /// What to say of a line with a NUL, or with a carriage return that does not end it.
    private static func strayByte(in line: UnsafeRawBufferPointer) -> String? {
        guard let base = line.baseAddress else { return nil }
        if memchr(base, 0, line.count) != nil { return nulByte }
        if memchr(base, 0x0D, line.count) != nil {
            return "A line holds a carriage return that does not end it."
        }
        return nil
    }

    /// Whether a request line, or the beginning of one, has a method that no request has.
    private static func hasLongMethod(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > HTTPFrontLimits.methodBytesMax
            && memchr(line.baseAddress!, 0x20, HTTPFrontLimits.methodBytesMax + 1) == nil
    }

    private static let longMethod =
        "The request line does not begin with a method and a space; a method has at most "
        + "\(HTTPFrontLimits.methodBytesMax) bytes."

    /// The largest length that is taken, 2^53, has as many.
    private static let lengthDigitsMax = 16

    static let nulByte = "The request line or a header holds a NUL byte."
    static let folded = "A header is folded over several lines; write it on one."
}
