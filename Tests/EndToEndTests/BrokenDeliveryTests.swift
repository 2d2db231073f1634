import TestSupport
import Testing

/// What the randomised runs check by would find a delivery that is broken.
@Suite struct BrokenDeliveryTests {
    @Test(arguments: Tampering.Fault.allCases)
    func oneAnswerThatIsTamperedWithIsFound(fault: Tampering.Fault) throws {
        let daemon = try RunningDaemon(configuration: "[retention]\nkeep = 30\ngrace = 0\n")
        let start = try RunStart(daemon)
        var random = SeededRandom(for: "\(fault)")
        var publisher = try RandomPublisher(
            daemon.tcp, name: "p", payloadBytesMax: 20, random: random)
        for _ in 0..<80 { try publisher.publish() }
        let end = try #require(publisher.publications.last).ids.upperBound
        let checker = DeliveryChecker(publisher.publications)
        #expect(checker.problems == [])

        for tampering in [nil, Tampering(fault)] {
            var poller = RandomPoller(
                [daemon.tcp, daemon.unix], start: start.cursor,
                tampering: tampering, random: SeededRandom(seed: random.next()))
            try poller.run { end }
            #expect(poller.isTampered == (tampering != nil))
            let problems = checker.problems(of: poller.history)
            #expect(problems.isEmpty == (tampering == nil), "\(problems.prefix(5))")
        }
    }
}
