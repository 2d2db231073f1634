import TestSupport

/// What a subscriber can ask the bus for.
enum SubscriberForm: CaseIterable, Sendable {
    case raw, json, lines, events, socket, rawSocket

    /// Those that the bus serves.
    static let inUse: [SubscriberForm] = [.raw, .json, .lines, .events, .socket, .rawSocket]

    /// The streams among them.
    static var streams: [SubscriberForm] { inUse.filter { $0 != .raw && $0 != .json } }

    /// The name of the form in `as`; nil if there is none but by the upgrade.
    var asName: String? {
        switch self {
        case .raw, .rawSocket: "raw"
        case .json: "json"
        case .lines: "ndjson"
        case .events: "sse"
        case .socket: nil
        }
    }

    /// Whether it is a WebSocket.
    var isSocket: Bool { self == .socket || self == .rawSocket }

    fileprivate var accept: String? {
        switch self {
        case .json: "application/json"
        case .lines: "application/x-ndjson"
        case .events: "text/event-stream"
        default: nil
        }
    }
}

/// One request for what is behind a cursor.
struct SubscriberRequest {
    let bytes: [UInt8]
    /// The most events that it is answered.
    let max: Int?
    /// Whether it ends by itself when there is nothing more.
    let ends: Bool
    /// What an event stream is.
    let events: HTTPStream.Form
}

extension SubscriberForm {
    /// A request for what is behind the cursor, in one of the ways in which it can be made.
    func request(
        after history: History, maxima: [Int?], using random: inout SeededRandom
    ) -> SubscriberRequest {
        var query: [String] = []
        var headers: [(String, String)] = []
        if Bool.random(using: &random) {
            query.append("since=\(history.cursor)")
        } else {
            headers.append(("Last-Event-ID", "\(history.cursor)"))
            if Bool.random(using: &random) { query.append("since=earliest") }
        }
        let isPoll = self == .raw || self == .json
        let wait =
            isPoll
            ? ["0", "1ms", "20ms", "300ms"].randomElement(using: &random)!
            : [nil, nil, nil, "0", "1ms", "20ms"].randomElement(using: &random)!
        if let wait { query.append("wait=\(wait)") }
        if let type = history.type { query.append("type=\(type)") }
        let max = self == .raw ? nil : maxima.randomElement(using: &random)!
        if let max { query.append("max=\(max)") }
        if let accept, Bool.random(using: &random) {
            headers.append(("Accept", accept))
        } else if self != .raw, let asName {
            query.append("as=\(asName)")
        }
        var hasEnvelopes = !history.selector.isName
        if self == .events, Int.random(in: 0..<3, using: &random) == 0 {
            hasEnvelopes.toggle()
            query.append("envelope=\(hasEnvelopes ? "yes" : "no")")
        }
        let hasNames = self == .events && !hasEnvelopes && Bool.random(using: &random)
        if hasNames { query.append("named=yes") }
        let hasCursors = self != .events || Int.random(in: 0..<3, using: &random) > 0
        if !hasCursors { query.append("cursors=no") }
        var version = "1.1"
        if isSocket {
            headers += WebSocketClient.handshake
        } else if !isPoll, Int.random(in: 0..<6, using: &random) == 0 {
            version = "1.0"
        }
        var head =
            "GET /topics/\(history.selector)?\(query.shuffled(using: &random).joined(separator: "&")) "
        head += "HTTP/\(version)\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return SubscriberRequest(
            bytes: Array((head + "\r\n").utf8), max: max, ends: wait != nil,
            events: .events(
                areEnvelopes: hasEnvelopes, areNamed: hasNames, sayCursors: hasCursors))
    }

    /// The stream that begins with the answer to such a request; nil if the answer is all.
    func open(
        _ client: RawClient, _ request: SubscriberRequest
    ) throws -> (any SubscriberStream)? {
        switch self {
        case .raw, .json: nil
        case .lines: try HTTPStream(client, .lines)
        case .events: try HTTPStream(client, request.events)
        case .socket: try SocketStream(client, isRaw: false)
        case .rawSocket: try SocketStream(client, isRaw: true)
        }
    }
}
