internal import Glibc

/// The line and headers of a request that has arrived and that libmicrohttpd has not read yet.
///
/// Each version of libmicrohttpd refuses other broken requests by itself, in HTML or by closing,
/// and misreads others. Heads are looked at here first, so that a broken request gets the same
/// answer from us on every system. This looks only for faults that no client makes by intent;
/// everything else is libmicrohttpd's.
///
/// - Complexity: O(bytes of the head).
struct RequestHeadReader {
    enum Finding: Equatable {
        /// Nothing is wrong with its form, or it is not there to its end.
        case nothing
        /// It is of a version other than 1.
        case otherVersion
        /// It has more headers than a request may have.
        case tooMany
        /// It is no request of HTTP/1. The text tells the client why.
        case broken(String)
        /// Its lines are in order, but Host or a header that says where the body ends is not as
        /// every reader expects it.
        case doubtful
    }

    private(set) var method = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var target = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var version = HTTPVersion.http11
    private(set) var finding = Finding.nothing
    /// Bytes of its line and headers, with the empty line; 0 if that is not there, or empty lines
    /// stand before it.
    private(set) var headBytes = 0

    /// The place of its first header in the input.
    private var headersStart = 0
    private let input: UnsafeRawBufferPointer
    private var headers = 0
    private var hosts = 0
    private var codings = 0
    private var lengths = 0
    private var length = 0
    /// Whether its client waits to be asked for the body.
    private(set) var isExpecting = false
    private var isFramingOdd = false
    private var isOfVersion1 = false

    /// The head that `input` begins with; `input` must outlive it.
    init(_ input: UnsafeRawBufferPointer) {
        self.input = input
        var start = Self.emptyLineBytes(input)
        guard let line = Self.line(in: input, from: start) else {
            // Each version of libmicrohttpd waits for the line's end in another way.
            if Self.hasLongMethod(UnsafeRawBufferPointer(rebasing: input[start...])) {
                finding = .broken(Self.longMethod)
            }
            return
        }
        if let fault = readRequestLine(line) {
            finding = .broken(fault)
            return
        }
        guard isOfVersion1 else {
            finding = .otherVersion
            return
        }
        start = line.next
        headersStart = start
        while let line = Self.line(in: input, from: start) {
            if line.bytes.isEmpty {
                finding = isOdd ? .doubtful : .nothing
                if method.baseAddress == input.baseAddress { headBytes = line.next }
                return
            }
            headers += 1
            if headers > HTTPFrontLimits.headersMax {
                finding = .tooMany
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
    var fields: HeaderFields {
        var fields = HeaderFields()
        var start = headersStart
        while let line = Self.line(in: input, from: start), !line.bytes.isEmpty {
            let (name, value) = Self.parts(of: line.bytes)
            if let name { fields.append(name: name, value: value) }
            start = line.next
        }
        return fields
    }

    /// The framing of its body, as far as it can be read. Headers that contradict each other are
    /// refused later.
    var bodyLength: RequestHead.BodyLength {
        codings > 0 ? .chunked : lengths > 0 ? .counted(UInt64(length)) : .none
    }

    /// The problem to answer if it is longer than `bytesMax`.
    func tooLong(for bytesMax: Int) -> Problem {
        isOfVersion1 && headersStart <= bytesMax ? .headTooLong : .targetTooLong
    }

    /// Bytes of the whole request, if they are known before it is parsed. They are if its body is
    /// counted, and nothing is to be sent before that comes. Nil of other requests.
    var requestBytes: Int? {
        guard headBytes > 0, finding == .nothing, codings == 0, lengths <= 1,
            !isExpecting || length == 0
        else { return nil }
        return headBytes + length
    }

    private var isOdd: Bool {
        hosts != 1 && version == .http11 || codings > 1 || isFramingOdd
    }

    /// Reads the request line. Returns the fault in it, nil if there is none.
    private mutating func readRequestLine(_ line: Line) -> String? {
        if let fault = Self.strayByte(in: line.bytes) { return fault }
        if Self.hasLongMethod(line.bytes) { return Self.longMethod }
        guard let (method, rest) = Self.word(of: line.bytes),
            let (target, last) = Self.word(of: rest),
            last.hasPrefix("HTTP/")
        else {
            return "The request line is not a method, a target and a version, one space between "
                + "them."
        }
        (self.method, self.target) = (method, target)
        guard last.count == 8, last[5].decimalValue != nil, last[6] == UInt8(ascii: "."),
            last[7].decimalValue != nil
        else { return "The version of the request is not HTTP/1.1 or HTTP/1.0." }
        isOfVersion1 = last[5] == UInt8(ascii: "1")
        version = HTTPVersion(last) ?? .http11
        return nil
    }

    /// The bytes before the first space of `line`, and those behind it. Nil if there are none
    /// before a space.
    private static func word(
        of line: UnsafeRawBufferPointer
    ) -> (UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer)? {
        guard let base = line.baseAddress, let found = memchr(base, 0x20, line.count) else {
            return nil
        }
        let space = UnsafeRawPointer(found) - base
        guard space > 0 else { return nil }
        return (
            UnsafeRawBufferPointer(rebasing: line[..<space]),
            UnsafeRawBufferPointer(rebasing: line[(space + 1)...])
        )
    }

    /// Reads a header's line. Returns the fault in it, nil if there is none.
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
        switch MessageHeader(name) {
        case .host:
            hosts += 1
        case .contentLength:
            lengths += 1
            let digits = value.trimmingBlanks()
            let isNumber = digits.allSatisfy { $0.decimalValue != nil }
            guard (1...Self.lengthDigitsMax).contains(digits.count), isNumber else {
                isFramingOdd = true
                return
            }
            length = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        case .expect:
            isExpecting = true
        case .transferEncoding:
            codings += 1
            if !value.trimmingBlanks().equalsIgnoringCase("chunked") { isFramingOdd = true }
        case .connection, .upgrade, .origin, .cookie, .fetchSite, .fetchMetadata, nil: break
        }
    }

    struct Line {
        let bytes: UnsafeRawBufferPointer
        /// The place where the next line begins.
        let next: Int
    }

    /// The line that begins at `start`, without its end; nil when that has not come.
    static func line(in input: UnsafeRawBufferPointer, from start: Int) -> Line? {
        guard start < input.count,
            let end = memchr(input.baseAddress! + start, 0x0A, input.count - start)
        else { return nil }
        let feed = UnsafeRawPointer(end) - input.baseAddress!
        let stop = feed > start && input[feed - 1] == 0x0D ? feed - 1 : feed
        return Line(bytes: UnsafeRawBufferPointer(rebasing: input[start..<stop]), next: feed + 1)
    }

    /// How many bytes of `input` are line ends before anything else.
    static func emptyLineBytes(_ input: UnsafeRawBufferPointer) -> Int {
        input.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? input.count
    }

    /// A header's name and value: the bytes before the colon and those behind it. Without a colon
    /// the name is nil, and the value is the whole line.
    static func parts(
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

    /// The fault of a line that has a NUL, or a carriage return that does not end it; nil of any
    /// other.
    private static func strayByte(in line: UnsafeRawBufferPointer) -> String? {
        guard let base = line.baseAddress else { return nil }
        if memchr(base, 0, line.count) != nil { return nulByte }
        if memchr(base, 0x0D, line.count) != nil {
            return "A line holds a carriage return that does not end it."
        }
        return nil
    }

    /// Whether a request line, or the beginning of one, has a method that is too long.
    private static func hasLongMethod(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > HTTPFrontLimits.methodBytesMax
            && memchr(line.baseAddress!, 0x20, HTTPFrontLimits.methodBytesMax + 1) == nil
    }

    private static let longMethod =
        "The request line does not begin with a method and a space; a method has at most "
        + "\(HTTPFrontLimits.methodBytesMax) bytes."

    /// Digits of a length: the largest that is taken, 2^53, has as many.
    private static let lengthDigitsMax = 16

    private static let nulByte = "The request line or a header holds a NUL byte."
    static let folded = "A header is folded over several lines; write it on one."
}
