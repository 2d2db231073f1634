internal import Glibc
internal import JSON

/// How a client knows where an answer's body ends (RFC 9112 section 6.3).
enum BodyFraming {
    /// The head tells the length.
    case counted
    /// The body comes in chunks, the last of which is empty.
    case chunked
    /// The body ends when the connection closes.
    case untilClose
    /// There is no body. Another protocol follows, which marks its own end.
    case switched
}

/// Writes answers as bytes.
///
/// Belongs to one loop: it keeps the `Date` of the current second.
struct ResponseEncoder {
    /// The beginnings of this second's answers, one for each status: the next answer begins with
    /// the same bytes as an earlier one of its status.
    private var starts: [Start] = []
    private var second: Int64 = .min
    private let clock: () -> Int64

    private struct Start {
        let status: Int
        /// Status line and date.
        let bytes: [UInt8]
    }

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
        _ response: Response, for context: ResponseContext, closes: Bool,
        into output: inout [UInt8]
    ) {
        encodeHead(of: response, for: context, closes: closes, framing: .counted, into: &output)
        guard Self.sendsBody(response, for: context) else { return }
        response.body.withBytes { output.append(contentsOf: $0) }
    }

    /// Whether the answer's body follows its head.
    static func sendsBody(_ response: Response, for context: ResponseContext) -> Bool {
        !context.isHead && !response.forbidsBody
    }

    /// An answer's status line and headers, with the empty line behind them.
    mutating func head(
        of response: Response, for context: ResponseContext, closes: Bool,
        framing: BodyFraming = .counted
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(512)
        encodeHead(of: response, for: context, closes: closes, framing: framing, into: &head)
        return head
    }

    private mutating func encodeHead(
        of response: Response, for context: ResponseContext, closes: Bool, framing: BodyFraming,
        into output: inout [UInt8]
    ) {
        begin(response.status, &output)
        response.forEachHeaders(for: context.crossOrigin) { output.append(contentsOf: $0.bytes) }
        switch framing {
        case .counted where !response.forbidsBody:
            output.append("Content-Length: ")
            output.append(decimal: response.body.count)
            Self.endLine(&output)
        case .chunked where !response.forbidsBody:
            output.append("Transfer-Encoding: chunked\r\n")
        case .counted, .chunked, .untilClose: break
        case .switched: return Self.endLine(&output)
        }
        if closes {
            output.append("Connection: close\r\n")
        } else if context.version == .http10 {
            output.append("Connection: Keep-Alive\r\n")
        }
        Self.endLine(&output)
    }

    /// Appends status line and date. The version is ours, not the request's (RFC 9110, section
    /// 6.2).
    private mutating func begin(_ status: Int, _ output: inout [UInt8]) {
        let second = clock()
        if second != self.second {
            self.second = second
            starts.removeAll(keepingCapacity: true)
        }
        for start in starts where start.status == status {
            return output.append(contentsOf: start.bytes)
        }
        var bytes: [UInt8] = []
        bytes.append("HTTP/1.1 ")
        bytes.append(decimal: status)
        bytes.append(UInt8(ascii: " "))
        bytes.append(StatusCode.reason(for: status))
        bytes.append("\r\nDate: ")
        HTTPDate.append(second, to: &bytes)
        Self.endLine(&bytes)
        starts.append(Start(status: status, bytes: bytes))
        output.append(contentsOf: bytes)
    }

    private static func endLine(_ output: inout [UInt8]) {
        output.append(UInt8(ascii: "\r"))
        output.append(UInt8(ascii: "\n"))
    }
}
