internal import Digests

/// The opening handshake (RFC 6455 section 4.2).
final class WebSocketHandshake {
    /// The header fields of the answer.
    let headers: HeaderLines
    /// The facts about the request that the answer needs.
    let context: ResponseContext

    /// Checks the handshake of a request.
    ///
    /// Host and Origin were judged before, like those of any request.
    ///
    /// - Throws: The problem to answer instead: 426 `WEBSOCKET_VERSION` or 400 `REQUEST_MALFORMED`.
    init(_ head: RequestHead) throws(Problem) {
        guard head.method == "GET", head.version == .http11 else {
            throw Self.malformed("A WebSocket is opened by GET, in HTTP/1.1.")
        }
        guard head.headers.list("upgrade", contains: "websocket") else {
            throw Self.malformed("The handshake needs `Upgrade: websocket`.")
        }
        guard head.headers.list("connection", contains: "upgrade") else {
            throw Self.malformed("The handshake needs `Connection: Upgrade`.")
        }
        guard head.headers.all("sec-websocket-version") == ["13"] else {
            throw Problem(
                426, "WEBSOCKET_VERSION", detail: "Only version 13 is spoken here.",
                headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")])
        }
        guard head.headers.occurrences(of: "sec-websocket-key") == 1,
            let answer = head.headers.withFirst("sec-websocket-key", Self.acceptance) ?? nil
        else {
            throw Self.malformed("Sec-WebSocket-Key must be 16 bytes in base64, once.")
        }
        var headers: HeaderLines = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", answer),
        ]
        if Self.offersProtocol(head.headers) {
            headers.add("Sec-WebSocket-Protocol", Self.subprotocol)
        }
        self.headers = headers
        context = head.responseContext
    }

    /// The text that proves that a server understood a key; nil when that is not 16 bytes in
    /// base64.
    static func acceptance(of key: UnsafeRawBufferPointer) -> String? {
        guard key.count == keyCharacters, Base64.decode(key)?.count == keyBytes else { return nil }
        let digest = magic.withUTF8Buffer { Digest.sha1(key, UnsafeRawBufferPointer($0)) }
        return Base64.text(digest)
    }

    /// Whether the client offers the one subprotocol there is, among others perhaps. Without it the
    /// answer names none (RFC 6455 section 4.2.2).
    private static func offersProtocol(_ headers: HeaderFields) -> Bool {
        headers.all("sec-websocket-protocol").contains { offered in
            offered.split(separator: ",").contains {
                $0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                    == subprotocol
            }
        }
    }

    private static func malformed(_ detail: String) -> Problem {
        Problem(400, "REQUEST_MALFORMED", detail: detail)
    }

    /// The name of the messages of this version in `Sec-WebSocket-Protocol`.
    private static let subprotocol = "belfry.v1"
    private static let keyBytes = 16
    private static let keyCharacters = 24
    private static let magic: StaticString = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
}

extension RequestHead {
    /// Whether the client asks to go on in WebSocket frames.
    ///
    /// Says nothing about the handshake being right; `Exchange.detachWebSocket` does. In HTTP/1.0
    /// nobody can ask (RFC 9110 section 7.8).
    public var asksForWebSocket: Bool {
        version == .http11 && headers.list("upgrade", contains: "websocket")
    }
}
