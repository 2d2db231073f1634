internal import Glibc

/// Writes answers as bytes for sockets that left libmicrohttpd.
///
/// Belongs to one loop: it keeps the `Date` of the current second.
struct ResponseEncoder {
    private var date = HTTPDate()
    private let clock: () -> Int64

    /// An encoder that takes the Unix second of `Date` from `clock`.
    init(clock: @escaping () -> Int64 = { Int64(time(nil)) }) {
        self.clock = clock
    }

    /// Whether the connection stays after this answer to this request.
    static func keepsAlive(_ response: Response, for context: ResponseContext) -> Bool {
        context.keepsAlive && !response.closesConnection
    }

    /// Appends a whole answer to `output`.
    ///
    /// - Complexity: O(bytes), the body's among them.
    mutating func encode(
        _ response: Response, for context: ResponseContext, into output: inout [UInt8]
    ) {
        encodeHead(of: response, for: context, into: &output)
        guard Self.sendsBody(response, for: context) else { return }
        response.body.withBytes { output.append(contentsOf: $0) }
    }

    /// Whether the answer's body follows its head.
    static func sendsBody(_ response: Response, for context: ResponseContext) -> Bool {
        !context.isHead && !response.forbidsBody
    }

    /// Appends an answer's status line and headers, with the empty line behind them.
    ///
    /// A control byte in a header value, which could end the header early, becomes a blank.
    mutating func encodeHead(
        of response: Response, for context: ResponseContext, into output: inout [UInt8]
    ) {
        Self.append(
            context.version == .http11 ? "HTTP/1.1 " as StaticString : "HTTP/1.0 ", to: &output)
        Self.append(response.status, to: &output)
        output.append(UInt8(ascii: " "))
        Self.append(StatusCode.reason(for: response.status), to: &output)
        Self.append("\r\nDate: " as StaticString, to: &output)
        output.append(contentsOf: date.bytes(at: clock()))
        Self.endLine(&output)
        response.forEachHeader(for: context.crossOrigin) { name, value in
            Self.append(name, to: &output)
            output.append(UInt8(ascii: ":"))
            output.append(0x20)
            Self.append(value, to: &output)
            Self.endLine(&output)
        }
        if !response.forbidsBody {
            Self.append("Content-Length: " as StaticString, to: &output)
            Self.append(response.body.count, to: &output)
            Self.endLine(&output)
        }
        if !Self.keepsAlive(response, for: context) {
            Self.append("Connection: close\r\n" as StaticString, to: &output)
        } else if context.version == .http10 {
            Self.append("Connection: keep-alive\r\n" as StaticString, to: &output)
        }
        Self.endLine(&output)
    }

    /// Appends a name or value, with blanks in the place of controls.
    private static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            if bytes.contains(where: \.isControl) {
                for byte in bytes { output.append(byte.isControl ? 0x20 : byte) }
            } else {
                output.append(contentsOf: bytes)
            }
        }
    }

    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        output.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func append(_ number: Int, to output: inout [UInt8]) {
        if number >= 10 { append(number / 10, to: &output) }
        output.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private static func endLine(_ output: inout [UInt8]) {
        output.append(UInt8(ascii: "\r"))
        output.append(UInt8(ascii: "\n"))
    }
}
