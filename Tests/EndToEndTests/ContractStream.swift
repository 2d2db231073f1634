import TestSupport
import Testing

extension RunningDaemon {
    /// Asks for a stream over a connection of its own and reads the answer's head.
    func stream(
        _ target: String, _ form: HTTPStream.Form, headers: [(String, String)] = [],
        receiveBufferBytes: Int32? = nil
    ) throws -> HTTPStream {
        let client = try RawClient(tcp, receiveBufferBytes: receiveBufferBytes)
        try client.send("GET", target, headers: headers)
        return try HTTPStream(client, form)
    }
}

extension HTTPStream {
    /// Exactly what is told next, as many things as said.
    func next(_ count: Int, within seconds: Double = 60) throws -> [Told] {
        let deadline = monotonicSeconds() + seconds
        var told: [Told] = []
        while told.count < count, ending == nil {
            try #require(monotonicSeconds() < deadline, "only \(told) in \(seconds) s")
            told += try self.told(within: deadline - monotonicSeconds())
        }
        #expect(told.count == count)
        return told
    }

    /// Everything that is told until it ends.
    func rest(within seconds: Double = 60) throws -> [Told] {
        let deadline = monotonicSeconds() + seconds
        var told: [Told] = []
        while ending == nil {
            try #require(monotonicSeconds() < deadline, "no end in \(seconds) s: \(told.suffix(3))")
            told += try self.told(within: deadline - monotonicSeconds())
        }
        return told
    }
}

extension Told {
    /// What an event carries.
    var payload: String? { if case .event(let delivery) = self { delivery.payload } else { nil } }
}

extension Sequence<Told> {
    var payloads: [String] { compactMap(\.payload) }
    var cursors: [UInt64] { compactMap(\.cursor) }
    var gaps: [ToldGap] { compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }
}

/// The two forms of a stream, each with what asks for it.
enum StreamAsked: String, CaseIterable {
    case ndjson, sse

    var form: HTTPStream.Form { self == .ndjson ? .lines : .events(areEnvelopes: false) }

    /// The form where the selector is not one name.
    var wideForm: HTTPStream.Form { self == .ndjson ? .lines : .events(areEnvelopes: true) }
}
