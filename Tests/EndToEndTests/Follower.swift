import TestSupport
import Testing

/// A subscriber that follows one stream in a form of its own, and comes back with its cursor.
final class Follower {
    private let form: SubscriberForm
    private let query: String
    private let receiveBufferBytes: Int32?
    private(set) var stream: any SubscriberStream
    /// What it was told.
    private(set) var history: History

    /// Begins behind `start`.
    ///
    /// - Parameters:
    ///   - query: Parameters of each of its requests, each with a `&` before it.
    ///   - receiveBufferBytes: What the kernel keeps unread for it; nil leaves that as it is.
    init(
        _ address: RawClient.Address, _ form: SubscriberForm, of selector: String,
        after start: UInt64,
        query: String = "", receiveBufferBytes: Int32? = nil
    ) throws {
        self.form = form
        self.query = query
        self.receiveBufferBytes = receiveBufferBytes
        history = History(selector: TestSelector(selector), type: nil, start: start)
        stream = try Self.open(address, form, &history, query, receiveBufferBytes)
    }

    /// Asks again, for what is behind the cursor.
    func resume(_ address: RawClient.Address) throws {
        stream.client.close()
        stream = try Self.open(address, form, &history, query, receiveBufferBytes)
    }

    /// Reads until the event with this payload was told, which has to be before the stream ends.
    func read(until payload: String, within seconds: Double = 60) throws {
        let what = "`\(payload.prefix(20))`"
        try read(what, within: seconds) { $0.newest?.payload == payload }
        try #require(
            history.newest?.payload == payload, "\(what) was not told to \(form)")
    }

    /// Reads until what was told fulfils a condition, or the stream ends.
    ///
    /// - Returns: How it ended, if it did.
    @discardableResult
    func read(
        _ what: String = "the end", within seconds: Double = 60,
        until condition: (History) -> Bool = { _ in false }
    ) throws -> StreamEnding? {
        let deadline = monotonicSeconds() + seconds
        while !condition(history), stream.ending == nil {
            try #require(
                monotonicSeconds() < deadline, "not within \(seconds) s: \(what), \(form)")
            history.append(try stream.told(within: 0.2))
        }
        return stream.ending
    }

    private static func open(
        _ address: RawClient.Address, _ form: SubscriberForm, _ history: inout History,
        _ query: String, _ receiveBufferBytes: Int32?
    ) throws -> any SubscriberStream {
        let client = try RawClient(address, receiveBufferBytes: receiveBufferBytes)
        let headers = form.isSocket ? WebSocketClient.handshake : []
        let name = form.asName.map { "&as=\($0)" } ?? ""
        try client.send(
            "GET", "/topics/\(history.selector)?since=\(history.cursor)\(name)\(query)",
            headers: headers)
        history.ask()
        let request = SubscriberRequest(
            bytes: [], max: nil, ends: false,
            events: .events(
                areEnvelopes: !history.selector.isName || query.contains("envelope=yes")))
        return try #require(try form.open(client, request), "\(form) is no stream")
    }
}
