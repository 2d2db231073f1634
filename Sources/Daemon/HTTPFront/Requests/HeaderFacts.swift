/// The facts that header fields tell about the message itself, gathered and checked in one pass.
struct HeaderFacts {
    private(set) var hosts = 0
    private(set) var host: Authority?
    private(set) var isHostUnreadable = false
    private(set) var expectsUnknown = false
    private(set) var comesFromPage = false

    private var lengths = 0
    private var length: UInt64?
    private var codings = 0
    private var isChunked = false
    private var saysClose = false
    private var saysKeepAlive = false
    private var malformed: (field: Int, what: Malformation)?

    private enum Malformation {
        case emptyName
        case name(UInt8)
        case value(UInt8)
    }

    /// - Throws: 400 `REQUEST_MALFORMED` for a name that is no token or a value with a control.
    init(_ headers: HeaderFields) throws(Problem) {
        var field = 0
        headers.forEach { name, value in
            field += 1
            if malformed == nil, let what = Self.malformation(of: name, value) {
                malformed = (field, what)
            }
            note(name, value)
        }
        guard let malformed else { return }
        throw .malformed(Self.sentence(malformed.what, field: malformed.field))
    }

    /// The length of the body, as the request announces it.
    ///
    /// - Throws: 400 `REQUEST_MALFORMED` when two readers could disagree on where it ends.
    func bodyLength(in version: HTTPVersion) throws(Problem) -> RequestHead.BodyLength {
        guard codings == 0 || lengths == 0 else {
            throw .malformed("Content-Length and Transfer-Encoding exclude each other.")
        }
        if codings > 0 {
            guard codings == 1, isChunked, version == .http11 else {
                throw .malformed("Transfer-Encoding may only be chunked, once, in HTTP/1.1.")
            }
            return .chunked
        }
        guard lengths > 0 else { return .none }
        guard lengths == 1 else { throw .malformed("Content-Length is repeated.") }
        guard let length else {
            throw .malformed("Content-Length is not a decimal number up to 2^53.")
        }
        return .counted(length)
    }

    /// Whether the client wants the connection kept (RFC 9112 section 9.3).
    func keepsAlive(in version: HTTPVersion) -> Bool {
        switch version {
        case .http11: !saysClose
        case .http10: saysKeepAlive && !saysClose
        }
    }

    private mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        switch MessageHeader(name) {
        case .host:
            hosts += 1
            host = Authority(value)
            isHostUnreadable = host == nil && !value.isEmpty
        case .expect:
            if !value.equalsIgnoringCase("100-continue") { expectsUnknown = true }
        case .origin, .fetchSite:
            comesFromPage = true
        case .connection:
            saysClose = saysClose || value.listContains("close")
            saysKeepAlive = saysKeepAlive || value.listContains("keep-alive")
        case .contentLength:
            lengths += 1
            length = Self.length(value)
        case .transferEncoding:
            codings += 1
            isChunked = value.equalsIgnoringCase("chunked")
        case .upgrade, .cookie, .fetchMetadata, nil: break
        }
    }

    private static func length(_ digits: UnsafeRawBufferPointer) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var length: UInt64 = 0
        for byte in digits {
            guard let digit = byte.decimalValue else { return nil }
            length = length * 10 + UInt64(digit)
            guard length <= HTTPFrontLimits.contentLengthMax else { return nil }
        }
        return length
    }

    private static func malformation(
        of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> Malformation? {
        if name.isEmpty { return .emptyName }
        for byte in name where !byte.isTokenCharacter { return .name(byte) }
        for byte in value where byte.isControl && byte != 0x09 { return .value(byte) }
        return nil
    }

    private static func sentence(_ what: Malformation, field: Int) -> String {
        switch what {
        case .emptyName: "Header \(field) has no name."
        case .name(let byte):
            "The name of header \(field) holds byte \(hexadecimal(byte)); no white space may stand "
                + "before the colon."
        case .value(let byte):
            "The value of header \(field) holds the control byte \(hexadecimal(byte))."
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
    }
}
