import Glibc
import Protection
import TestSupport
import Testing

/// Remembers over many lives of a daemon what it answered to publishers and showed to subscribers,
/// and compares that with what it has.
///
/// Every event says who published it, in which life and round, so that no two are alike.
final class CrashWitness: Sendable {
    private let state: Protected<State>

    private struct State {
        /// The text of every answered event.
        var answers: [UInt64: String] = [:]
        /// The text of every event that was seen.
        var seen: [UInt64: String] = [:]
        var readers: [Reader]
        /// What was compared so far lies up to here.
        var compared: UInt64 = 0
        var faults: [String] = []
    }

    private struct Reader {
        var cursor: String?
        var ids: [UInt64] = []
    }

    init(readers: Int) {
        state = Protected(State(readers: (0..<readers).map { _ in Reader() }))
    }

    /// How many events were answered.
    var answered: Int { state.read { $0.answers.count } }

    /// Publishes until the connection ends, alone and in batches.
    func publish(from publisher: Int, _ life: Int, at address: RawClient.Address) throws {
        let topic = "crash.t\(publisher % 3)"
        do throws(RawClient.Failure) {
            let client = try RawClient(address)
            for round in 0... {
                let text = "\(publisher) \(life) \(round)"
                if round % 5 < 4 {
                    let answer = try client.exchange(
                        "POST", "/topics/\(topic)", body: Array(text.utf8), within: 60)
                    note(answer.status, answer.number("event-id").map { [$0] }, [text])
                } else {
                    let lines = (0..<10).map { "\(text) line \($0)" }
                    let answer = try client.exchange(
                        "POST", "/topics/\(topic)?split=lines",
                        body: Array(lines.joined(separator: "\n").utf8), within: 60)
                    let first = answer.member("first").flatMap { UInt64($0) }
                    note(answer.status, first.map { first in (0..<10).map { first + $0 } }, lines)
                }
            }
        } catch {
            return
        }
    }

    private func note(_ status: Int, _ ids: [UInt64]?, _ texts: [String]) {
        state.write { state in
            guard status == 201, let ids else {
                state.faults.append("\(texts[0]) was answered \(status)")
                return
            }
            for (id, text) in zip(ids, texts) {
                if let other = state.answers.updateValue(text, forKey: id) {
                    state.faults.append("\(id) was given to \(other) and to \(text)")
                }
            }
        }
    }

    /// Follows a selector from where the reader was until the connection ends.
    func follow(_ reader: Int, _ selector: String, at address: RawClient.Address) throws {
        do {
            let client = try RawClient(address)
            while true { try step(reader, selector, client, wait: "5s") }
        } catch is RawClient.Failure {
            return
        }
    }

    /// Reads what there is for a reader, and compares all it ever got with what there is.
    func finish(_ reader: Int, _ selector: String, _ daemon: RunningDaemon) throws {
        let client = try daemon.connect()
        while try step(reader, selector, client, wait: "0") > 0 {}
        let all = try Self.everything(selector, after: 0, daemon).map(\.id)
        let ids = state.read { $0.readers[reader].ids }
        let isAll = ids == all
        #expect(isAll, "\(selector): saw \(ids.count) of \(all.count)")
    }

    @discardableResult
    private func step(
        _ reader: Int, _ selector: String, _ client: RawClient, wait: String
    ) throws -> Int {
        let cursor = state.read { $0.readers[reader].cursor } ?? "0"
        let answer = try client.exchange(
            "GET", "/topics/\(selector)?as=json&wait=\(wait)&since=\(cursor)", within: 60)
        let body = try PollBody(answer)
        let events = try body.events.map { (try #require(UInt64($0.id)), $0.data ?? "") }
        state.write { state in
            if let gap = body.gap { state.faults.append("\(selector) has a gap: \(gap)") }
            for (id, text) in events {
                if let last = state.readers[reader].ids.last, id <= last {
                    state.faults.append("\(selector): \(id) came after \(last)")
                }
                state.readers[reader].ids.append(id)
                state.seen[id] = text
            }
            state.readers[reader].cursor = body.cursor
        }
        return events.count
    }

    /// Compares what was answered and seen since the last time, or ever, with what a daemon has.
    func compare(with daemon: RunningDaemon, everything: Bool) throws {
        let after = everything ? 0 : state.read { $0.compared }
        let found = try Self.everything("crash.*", after: after, daemon)
        let there = Dictionary(uniqueKeysWithValues: found)
        let (answers, seen, faults) = state.read { ($0.answers, $0.seen, $0.faults) }
        #expect(faults == [])
        let isRising = zip(found, found.dropFirst()).allSatisfy { $0.id < $1.id }
        #expect(isRising)
        for (kind, known) in [("answered", answers), ("seen", seen)] {
            let wrong = known.filter { $0.key > after && there[$0.key] != $0.value }
            let example = wrong.first.map { "\($0) and not \(there[$0.key] ?? "nothing")" } ?? ""
            #expect(wrong.count == 0, "\(kind) of \(known.count), now \(found.count): \(example)")
        }
        if let last = found.last { state.write { $0.compared = max($0.compared, last.id) } }
    }

    private static func everything(
        _ selector: String, after: UInt64, _ daemon: RunningDaemon
    ) throws -> [(id: UInt64, text: String)] {
        let client = try daemon.connect()
        var found: [(id: UInt64, text: String)] = []
        var since = after == 0 ? "earliest" : "\(after)"
        while true {
            let body = try PollBody(
                client.exchange(
                    "GET", "/topics/\(selector)?as=json&wait=0&max=10000&since=\(since)",
                    within: 60))
            if body.events.isEmpty { return found }
            found += try body.events.map { (try #require(UInt64($0.id)), $0.data ?? "") }
            since = body.cursor
        }
    }
}
