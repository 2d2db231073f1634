import Glibc
import TestSupport
import Testing

/// What tests of the wire say again and again.
extension RawClient {
    /// The number of requests so far whose heads were known, on all connections. That asks is none of them.
    func repeats() throws -> Int {
        let samples = try MetricsTests.samples(self, headers: [(String.newHeaderName, "x")])
        return Int(try #require(samples["belfry_http_repeated_requests_total"]))
    }

    /// Publishes one event and returns its id.
    @discardableResult
    func publish(
        _ text: String, to topic: String, headers: [(String, String)] = []
    ) throws -> UInt64 {
        let answer = try exchange(
            "POST", "/topics/\(topic)", headers: headers, body: Array(text.utf8))
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(answer.number("event-id"))
    }

    /// Sends a GET and reads its answer.
    func get(_ target: String, headers: [(String, String)] = []) throws -> Answer {
        try exchange("GET", target, headers: headers)
    }

    /// Sends what the other end takes: false when it closed before it had everything.
    @discardableResult
    func sendUnlessClosed(_ bytes: [UInt8]) throws -> Bool {
        do throws(Failure) {
            try send(bytes)
            return true
        } catch {
            guard case .system("send", let code) = error, code == EPIPE || code == ECONNRESET
            else { throw error }
            return false
        }
    }

    /// Registers a topic.
    func register(_ topic: String, _ settings: String = "") throws {
        let answer = try exchange("PUT", "/topics/\(topic)\(settings)")
        try #require(answer.status == 201 || answer.status == 200, "\(answer.text)")
    }

    /// Waits until a registered topic has this many subscribers.
    func await(subscribers: Int, of topic: String, within seconds: Double = 60) throws {
        let wanted = "\"subscribers\":\(subscribers),"
        try eventually("\(topic) has \(subscribers) subscribers", within: seconds) {
            try get("/topics?match=\(topic)").text.contains(wanted)
        }
    }
}

extension RawClient.Answer {
    /// Everything of it but when it was given; where the order of headers does not count, sorted.
    func butWhen(inOrder: Bool = true) -> String {
        let lines = headers.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
        return ([statusLine] + (inOrder ? lines : lines.sorted()) + [text])
            .joined(separator: "\n")
    }

    /// The number in the only header field of this name.
    func number(_ name: String) -> UInt64? { header(name).flatMap { UInt64($0) } }

    /// The number value of the first member of this name, in a JSON body.
    func integer(_ name: String) -> Int? {
        guard let start = text.range(of: "\"\(name)\":") else { return nil }
        return Int(text[start.upperBound...].prefix { $0.isNumber })
    }

    /// The string value of the first member of this name, in a JSON body without escapes in it.
    func member(_ name: String) -> String? {
        guard let start = text.range(of: "\"\(name)\":\"") else { return nil }
        return text[start.upperBound...].firstIndex(of: "\"").map {
            String(text[start.upperBound..<$0])
        }
    }
}

extension String {
    /// Where a text begins and ends in this one, if it occurs.
    fileprivate func range(of other: String) -> Range<Index>? { ranges(of: other).first }
}

/// Waits for a condition that another process brings about; fails when the bound passes.
///
/// Looks a few hundred times a second: what is observed is a state, so no look can be too late.
func eventually(
    _ what: String, within seconds: Double = 60, _ condition: () throws -> Bool
) throws {
    let deadline = seconds + monotonicSeconds()
    while try !condition() {
        try #require(monotonicSeconds() < deadline, "not within \(seconds) s: \(what)")
        poll(nil, 0, 3)
    }
}

/// Seconds of a clock that only goes forward.
func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
