import TestSupport

/// A connection over which a subscriber is told things until one of the two ends it.
protocol SubscriberStream: AnyObject {
    var client: RawClient { get }
    /// How it ended, if it did.
    var ending: StreamEnding? { get }
    /// What has come, after waiting for it as long as is said.
    func told(within seconds: Double) throws -> [Told]
}

/// How a stream ended.
enum StreamEnding: Equatable {
    /// As it should; whether the connection can be asked again.
    case clean(isKept: Bool)
    /// By the end of the connection in the middle of things.
    case cut
}

/// An event stream or lines of JSON, over HTTP.
final class HTTPStream: SubscriberStream {
    /// What its body is.
    enum Form: Sendable, Equatable {
        case lines
        /// Events whose data is an envelope, or the payload alone.
        ///
        /// - Parameters:
        ///   - areNamed: Whether their names are their types.
        ///   - sayCursors: Whether cursors come without an event.
        case events(areEnvelopes: Bool, areNamed: Bool = false, sayCursors: Bool = true)

        fileprivate var saysCursors: Bool {
            if case .events(_, _, let sayCursors) = self { sayCursors } else { true }
        }

        fileprivate var mediaType: String {
            self == .lines ? "application/x-ndjson" : "text/event-stream"
        }
    }

    let client: RawClient
    private(set) var ending: StreamEnding?
    /// What the answer was.
    let answer: RawClient.Answer

    private let form: Form
    private var chunks: ChunkedBody?
    private var lines = LineReader()
    private var events = EventStreamReader()
    private var retry: Int?
    private var isOpened = false

    /// Takes a connection that a stream was asked for over, and reads the answer's head.
    init(_ client: RawClient, _ form: Form, within seconds: Double = 60) throws {
        self.client = client
        self.form = form
        answer = try client.readHead(within: seconds)
        let type = answer.header("content-type")?.lowercased().split(separator: ";").first
        guard answer.status == 200, type.map(String.init) == form.mediaType,
            answer.header("content-length") == nil, answer.header("cache-control") == "no-store",
            form == .lines || answer.header("x-accel-buffering") == "no"
        else { throw RawClient.Failure.malformed("\(answer.statusLine) \(answer.headers)") }
        if let coding = answer.header("transfer-encoding") {
            guard coding.lowercased() == "chunked" else {
                throw RawClient.Failure.malformed(coding)
            }
            chunks = ChunkedBody()
        } else if answer.header("connection")?.lowercased() != "close" {
            throw RawClient.Failure.malformed("a body without an end: \(answer.headers)")
        }
    }

    func told(within seconds: Double) throws -> [Told] {
        guard ending == nil else { return [] }
        guard let bytes = try client.readSome(within: seconds) else {
            ending = chunks == nil ? .clean(isKept: false) : .cut
            if chunks == nil { try finish() }
            return []
        }
        guard chunks != nil else { return try read(bytes) }
        let told = try read(chunks!.feed(bytes))
        if chunks!.isComplete {
            try finish()
            client.putBack(chunks!.takeRest())
            ending = .clean(isKept: answer.header("connection")?.lowercased() != "close")
        }
        return told
    }

    private func finish() throws {
        if form == .lines { try lines.finish() } else { try events.finish() }
        guard isOpened || !form.saysCursors else {
            throw RawClient.Failure.malformed("an end before the cursor")
        }
    }

    private func read(_ bytes: [UInt8]) throws -> [Told] {
        var told: [Told] = []
        switch form {
        case .lines:
            for line in try lines.feed(bytes) { try take(self.told(line), into: &told) }
        case .events(let areEnvelopes, let areNamed, _):
            for item in try events.feed(bytes) {
                try take(self.told(item, areEnvelopes, areNamed), into: &told)
            }
        }
        return told
    }

    /// Takes what was told. The first of all is the cursor of the head: where an event stream leaves
    /// it to the gap or event that comes at once, it is told here.
    private func take(_ said: Told?, into told: inout [Told]) throws {
        guard let said else { return }
        if !isOpened {
            let cursor = answer.number("event-cursor") ?? .max
            switch said {
            case .cursor(cursor): break
            case .gap(let gap) where form != .lines && cursor <= gap.after:
                told.append(.cursor(cursor))
            case .event(let delivery) where form != .lines && cursor < delivery.id ?? 0:
                told.append(.cursor(cursor))
            default: throw RawClient.Failure.malformed("opened by \(said) \(answer.headers)")
            }
            isOpened = true
        }
        told.append(said)
    }

    private func told(_ line: String) throws -> Told? {
        guard !line.isEmpty else { return nil }
        guard case .told(let told) = try StreamText(line) else {
            throw RawClient.Failure.malformed(line)
        }
        return told
    }

    private func told(
        _ item: EventStreamReader.Item, _ areEnvelopes: Bool, _ areNamed: Bool
    ) throws -> Told? {
        switch item {
        case .comment: return nil
        case .retry(let milliseconds):
            guard retry == nil, (1_000...5_000).contains(milliseconds) else {
                throw RawClient.Failure.malformed("retry: \(milliseconds)")
            }
            retry = milliseconds
            return nil
        case .id(let id):
            guard form.saysCursors else { throw RawClient.Failure.malformed("id: \(id)") }
            return .cursor(UInt64(id)!)
        case .event(let id, "$gap", let data):
            let gap = try StreamText.gap(data)
            // Whoever comes back with a later id would not be told what is left of the gap. The first of
            // all is told to a reader that has no id yet.
            guard id == (isOpened ? nil : "\(gap.after)") else {
                throw RawClient.Failure.malformed("a gap with the id \(id ?? ""): \(data)")
            }
            return .gap(gap)
        case .event(let id, let type, let data):
            guard let id else { throw RawClient.Failure.malformed("an event without id: \(data)") }
            guard areEnvelopes else {
                guard areNamed || type == nil else {
                    throw RawClient.Failure.malformed("\(id) has a name: \(type!)")
                }
                return .event(
                    Delivery(
                        id: UInt64(id)!, topic: nil, type: type, saysType: areNamed, payload: data))
            }
            guard type == nil, case .told(let told) = try StreamText(data),
                case .event(let delivery) = told, delivery.id == UInt64(id)!
            else { throw RawClient.Failure.malformed("\(id) \(type ?? "") \(data)") }
            return told
        }
    }
}
