import Glibc
import TestSupport
import Testing

@testable import BusAPI
@testable import HTTPFront

/// Requests for jobs whose head is known.
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
        // All but the first of each loop.
        #expect(repeats >= count - workers.count, "\(repeats)")
        let group = try place.group()
        #expect(group.contains(#""open":\#(workers.count),"leased":\#(workers.count)"#))
        #expect(group.contains(#""done":\#(count - workers.count)"#))
        #expect(group.contains(#""workers":0"#))
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
