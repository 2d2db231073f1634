import TestSupport
import Testing

/// What the randomised runs check by would find a delivery that is broken, in whatever form.
@Suite(.blocking) struct BrokenDeliveryTests {
    @Test(arguments: SubscriberForm.inUse)
    func oneThingToldThatIsTamperedWithIsFound(form: SubscriberForm) throws {
        let daemon = try RunningDaemon(configuration: "[retention]\nkeep = 30\ngrace = 0\n")
        let start = try RunStart(daemon)
        var random = SeededRandom(for: "broken \(form)")
        var publisher = try RandomPublisher(
            HTTPPublisherLink(daemon.tcp), name: "p", payloadBytesMax: 20, random: random)
        for _ in 0..<80 { try publisher.publish() }
        var keeper = try RandomKeeper(
            daemon.tcp, payloadBytesMax: 20, deletes: false, random: random)
        let last = try keeper.end()
        let checker = DeliveryChecker(publisher.publications + last.publications)
        #expect(checker.problems == [])

        for fault in [nil] + Tampering.Fault.allCases.map(Optional.some) {
            let history = History(selector: TestSelector(">"), type: nil, start: start.cursor)
            var subscriber = RandomSubscriber(
                [daemon.tcp, daemon.unix], form, history,
                habits: .init(vanishing: 10, maxima: [3, 5]), tampering: fault.map(Tampering.init),
                random: SeededRandom(seed: random.next()))
            try subscriber.run { last }
            let canSuffer = fault.map(form.canSuffer) ?? false
            let name = fault.map { "\($0)" } ?? "nothing"
            #expect(subscriber.isTampered == canSuffer, "\(name)")
            let problems = checker.problems(of: subscriber.history)
            #expect(problems.isEmpty == !canSuffer, "\(name): \(problems.prefix(5))")
        }
    }
}

extension SubscriberForm {
    /// Whether a fault can befall what it is told: an answer of one event has no middle and no
    /// order, and where topics are not said none can be told apart.
    fileprivate func canSuffer(_ fault: Tampering.Fault) -> Bool {
        switch fault {
        case .dropsInTheMiddle, .reorders: self != .raw
        case .skipsTopic: self != .rawSocket
        default: true
        }
    }
}
