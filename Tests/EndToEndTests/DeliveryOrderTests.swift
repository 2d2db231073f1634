import TestSupport
import Testing

/// Which of its sockets the daemon writes to first.
@Suite(.blocking, .serialized) struct DeliveryOrderTests {
    @Test func whereNobodyElseAsksTheEventLeavesBeforeTheAnswer() throws {
        let daemon = try RunningDaemon(arguments: ["--store", "memory"])
        let publisher = try daemon.connect()
        try publisher.register("t")
        let readers = try (0..<4).map { _ in try daemon.connect() }
        let rounds = 100
        var deliveredFirst = 0
        for round in 0..<rounds {
            for reader in readers { try reader.send("GET", "/topics/t?wait=1h") }
            try publisher.await(subscribers: readers.count, of: "t")
            try publisher.publish("\(round)", to: "t")
            // The publisher has its answer by now.
            if readers.allSatisfy({ !$0.isSilent(for: 0) }) { deliveredFirst += 1 }
            for reader in readers { #expect(try reader.readAnswer().text == "\(round)") }
        }
        // The daemon may have something else to do now and then, and answers first.
        #expect(deliveredFirst > rounds * 9 / 10)
    }
}
