import Glibc
import TestSupport
import Testing

@testable import BusAPI
@testable import HTTPFront

/// Requests for jobs and settlements whose head is known, which are not parsed, and mean the same.
@Suite(.blocking) struct KnownTakeTests {
    private let place: WorkPlace

    init() throws { place = try WorkPlace() }

    private var repeats: Int { place.server.loops.reduce(0) { $0 + $1.repeats.value } }

    /// A worker on a connection that is kept, each of whose answers brings a job.
    private final class Worker {
        let client: RawClient
        let name: String
        private(set) var lease: String?

        init(_ name: String, at place: WorkPlace) throws {
            self.name = name
            client = try place.server.connect()
        }

        /// Settles what it has and takes the next; returns its text.
        func next() throws -> String {
            let done = lease.map { "&done=\($0)" } ?? ""
            let job = try client.exchange("POST", "/groups/g/next?worker=\(name)\(done)")
            #expect(job.status == 200, "\(job.text)")
            lease = job.header("work-lease")
            return job.text
        }
    }

    @Test func workersOfAnyNameAreKnownAndGetEachJobOnce() throws {
        let workers = try (0..<8).map {
            try Worker($0 < 5 ? "w\($0)" : "other-\($0)", at: place)
        }
        let count = 80
        for number in 0..<count { try place.publish("job \(number)") }
        var texts: [String] = []
        for _ in 0..<count / workers.count {
            for worker in workers { texts.append(try worker.next()) }
        }
        #expect(texts == (0..<count).map { "job \($0)" })
        // Each connection is parsed at first; a head without a lease and one with it are new once.
        #expect(repeats >= count - workers.count - 3, "\(repeats)")
        let group = try place.group()
        #expect(group.contains(#""open":\#(workers.count),"leased":\#(workers.count)"#))
        #expect(group.contains(#""done":\#(count - workers.count)"#))
        #expect(group.contains(#""workers":0"#))
    }

    @Test func aKnownRequestWaitsForAJobAndForItsTime() throws {
        let worker = try Worker("w", at: place)
        for number in 0..<3 {
            try place.publish("\(number)")
            #expect(try worker.next() == "\(number)")
        }
        let before = repeats
        let target = "/groups/g/next?worker=w&done=\(try #require(worker.lease))"
        try worker.client.send("POST", target)
        try place.server.wait { place.server.groups.figures.workers == 1 }
        #expect(repeats == before + 1)
        try place.publish("late")
        let job = try worker.client.readAnswer()
        #expect(job.text == "late")
        for round in 0..<4 {
            let nothing = try worker.client.exchange("POST", "/groups/g/next?wait=1ms")
            #expect(nothing.status == 204, "round \(round)")
        }
        #expect(repeats == before + 4)
    }

    @Test func settlementsOfAnotherLeaseAreKnown() throws {
        let client = try place.server.connect()
        for number in 0..<6 { try place.publish("job \(number)") }
        var known: [Int] = []
        for _ in 0..<6 {
            let lease = try place.take()
            let before = repeats
            let answer = try client.exchange("POST", "/groups/g/done?lease=\(lease)")
            #expect(answer.status == 204)
            known.append(repeats - before)
        }
        #expect(known.suffix(3) == [1, 1, 1])
        #expect(try place.group().contains(#""open":0,"leased":0"#))
        #expect(try place.group().contains(#""done":6"#))
    }

    @Test func whatIsKnownIsRefusedAsWhatIsParsed() throws {
        let worker = try Worker("w", at: place)
        for number in 0..<4 {
            try place.publish("\(number)")
            _ = try worker.next()
        }
        func ask(_ target: String) throws -> (known: Int, code: String) {
            let before = repeats
            let answer = try worker.client.exchange("POST", target)
            let code = answer.text.split(separator: "\"code\":\"").last?.prefix { $0 != "\"" }
            return (repeats - before, String(code ?? ""))
        }
        let long = String(repeating: "x", count: 65)
        let refused = try ask("/groups/g/next?worker=\(long)&done=a")
        #expect(refused == (1, "PARAMETER_INVALID"))
        let other = try place.server.connect()
        let lost = try other.exchange("POST", "/groups/g/next?worker=v&done=nobodys")
        #expect(lost.status == 409 && lost.text.contains("LEASE_LOST"), "\(lost.text)")
        try place.expect(204, "DELETE", "/groups/g")
        #expect(try ask("/groups/g/next?worker=w&done=a") == (1, "GROUP_UNKNOWN"))
    }

    @Test func otherRulesHoldForWhatIsKnown() throws {
        let worker = try Worker("w", at: place)
        for number in 0..<4 {
            try place.publish("\(number)")
            _ = try worker.next()
        }
        place.server.service.reload(WorkPlace.configuration("jobs.> work uid:4242"))
        let answer = try worker.client.exchange("POST", "/groups/g/next?worker=w&done=a")
        #expect(answer.status == 403 && answer.text.contains("ACCESS_DENIED"), "\(answer.text)")
    }
}
