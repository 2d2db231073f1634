import TestSupport

/// What a subscriber is told over a WebSocket, which answers pings and closes politely.
final class SocketStream: SubscriberStream {
    let client: RawClient
    private(set) var ending: StreamEnding?
    /// The code that the bus closed with.
    private(set) var closeCode: UInt16?
    /// What was answered to what was published over it.
    private(set) var receipts: [(ref: String?, id: UInt64?, problem: String?)] = []

    private let socket: WebSocketClient
    private let isRaw: Bool
    private var isOpened = false

    /// The codes that a subscriber who does nothing wrong may be told.
    private static let codes: Set<UInt16> = [1000, 1001, 1012, 1013, 4410]

    /// Takes a connection whose handshake was sent, and reads the answer.
    init(_ client: RawClient, isRaw: Bool, within seconds: Double = 60) throws {
        self.client = client
        self.isRaw = isRaw
        socket = try WebSocketClient(accepting: client, within: seconds)
    }

    func told(within seconds: Double) throws -> [Told] {
        guard ending == nil else { return [] }
        guard let messages = try socket.available(within: seconds) else {
            ending = closeCode == nil ? .cut : .clean(isKept: false)
            return []
        }
        let told = try messages.compactMap(self.told)
        if !isOpened, let first = told.first {
            guard case .cursor(let cursor) = first,
                socket.answer.header("event-cursor") == "\(cursor)"
            else { throw RawClient.Failure.malformed("opened by \(first)") }
            isOpened = true
        }
        return told
    }

    /// Says that this side ends it; what is under way still comes.
    func close() throws {
        guard closeCode == nil else { return }
        try client.sendUnlessClosed(WebSocketFrame.close(1000).encoded())
    }

    /// Publishes one event, answered by a receipt of that reference.
    func publish(_ text: String) throws {
        try socket.send(.text(text))
    }

    /// Takes the receipts that came.
    func takeReceipts() -> [(ref: String?, id: UInt64?, problem: String?)] {
        defer { receipts = [] }
        return receipts
    }

    private func told(_ message: WebSocketReader.Message) throws -> Told? {
        switch message {
        case .ping(let payload):
            try client.sendUnlessClosed(
                WebSocketFrame(WebSocketFrame.Opcode.pong, payload).encoded())
            return nil
        case .close(let code, let reason):
            guard let code, Self.codes.contains(code) else {
                throw RawClient.Failure.malformed("closed: \(code ?? 0) \(reason)")
            }
            closeCode = code
            try client.sendUnlessClosed(WebSocketFrame.close(code).encoded())
            return nil
        case .binary(let payload) where isRaw:
            return .event(
                Delivery(
                    id: nil, saysType: false, payload: String(decoding: payload, as: UTF8.self)))
        case .text(let text):
            switch try StreamText(text) {
            case .told(.event) where isRaw: throw RawClient.Failure.malformed(text)
            case .told(let told): return told
            case .receipt(let ref, let id, let problem):
                receipts.append((ref, id, problem))
                return nil
            }
        default: throw RawClient.Failure.malformed("\(message)")
        }
    }
}
