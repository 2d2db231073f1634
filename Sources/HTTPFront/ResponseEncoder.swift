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
        output.append(contentsOf: context.version == .http11 ? "HTTP/1.1 ".utf8 : "HTTP/1.0 ".utf8)
        Self.append(response.status, to: &output)
        output.append(UInt8(ascii: " "))
        Self.append(StatusCode.reason(for: response.status), to: &output)
        output.append(contentsOf: "\r\nDate: ".utf8)
        output.append(contentsOf: date.bytes(at: clock()))
        Self.endLine(&output)
        response.forEachHeader(for: context.crossOrigin) { name, value in
            output.append(contentsOf: name.utf8)
            output.append(contentsOf: ": ".utf8)
            Self.append(value: value, to: &output)
            Self.endLine(&output)
        }
        if !response.forbidsBody {
            output.append(contentsOf: "Content-Length: ".utf8)
            Self.append(response.body.count, to: &output)
            Self.endLine(&output)
        }
        if !Self.keepsAlive(response, for: context) {
            output.append(contentsOf: "Connection: close\r\n".utf8)
        } else if context.version == .http10 {
            output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
        Self.endLine(&output)
    }

    private static func append(value: String, to output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: value.utf8)
        for index in start..<output.count where output[index].isControl { output[index] = 0x20 }
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
