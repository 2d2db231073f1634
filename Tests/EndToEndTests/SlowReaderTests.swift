import TestSupport
import Testing

/// Readers that do not read: they cost their cursor and what is under way to them, and nobody else
/// anything.
@Suite(.blocking) struct SlowReaderTests {
    private static let count = 100
    private static let bytes = 10_000

    /// What fits neither into the buffers between two sockets nor into one write.
    private static func payload(_ number: Int) -> String {
        "\(number)." + String(repeating: "x", count: bytes)
    }

    private static let last = payload(count)

    private func publish(
        _ client: RawClient, to topic: String, _ numbers: ClosedRange<Int> = 1...count
    ) throws -> [Publication] {
        try numbers.map { number in
            let payload = Self.payload(number)
            let id = try client.publish(payload, to: topic)
            return Publication(ids: id...id, topic: topic, type: nil, payloads: [payload])
        }
    }

    private func expectComplete(
        _ follower: Follower, _ publications: [Publication], gaps: Bool = false
    ) {
        let problems = DeliveryChecker(publications).problems(of: follower.history)
        #expect(problems.isEmpty, "\(problems.prefix(5))")
        #expect(follower.history.gaps.isEmpty == !gaps)
    }

    /// A WebSocket may have been told why, if that still went through.
    private func expectCut(_ follower: Follower) throws {
        let ending = try follower.read()
        let isTold = (follower.stream as? SocketStream)?.closeCode == 1013
        #expect(ending == .cut || isTold, "\(String(describing: ending))")
    }

    @Test(arguments: SubscriberForm.streams)
    func whoStopsReadingDelaysNobodyAndMissesNothing(form: SubscriberForm) throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let start = try RunStart(daemon).cursor
        let stopped = try [daemon.tcp, daemon.unix].map {
            try Follower($0, form, of: "t.*", after: start, receiveBufferBytes: 16_384)
        }
        let others = try SubscriberForm.streams.flatMap { form in
            try [daemon.tcp, daemon.unix].map {
                try Follower($0, form, of: "t.a", after: start)
            }
        }
        // A mebibyte is under way to each of those that stopped, which have not read a byte; the
        // others read each event before there is the next.
        var published: [Publication] = []
        for number in 1...Self.count {
            published += try publish(client, to: "t.a", number...number)
            for other in others { try other.read(until: Self.payload(number)) }
        }
        for follower in others + stopped {
            try follower.read(until: Self.last)
            expectComplete(follower, published)
        }
    }

    @Test(arguments: SubscriberForm.streams)
    func whoStopsForTooLongIsCutOffAndResumes(form: SubscriberForm) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nsend_seconds = 1\n")
        let client = try daemon.connect()
        try client.register("t.a")
        let start = try RunStart(daemon).cursor
        let stopped = try Follower(
            daemon.tcp, form, of: "t.a", after: start, receiveBufferBytes: 16_384)
        let other = try Follower(daemon.tcp, form, of: "t.a", after: start)
        try client.await(subscribers: 2, of: "t.a")
        // The other one reads each event before there is the next: it never stops.
        var published: [Publication] = []
        for number in 1...Self.count {
            published += try publish(client, to: "t.a", number...number)
            try other.read(until: Self.payload(number))
        }
        try client.await(subscribers: 1, of: "t.a")
        // What was under way still arrives, and no end is made up.
        try expectCut(stopped)
        #expect(stopped.history.newest?.payload != Self.last)
        try stopped.resume(daemon.tcp)
        try stopped.read(until: Self.last)
        for follower in [stopped, other] { expectComplete(follower, published) }
        #expect(other.stream.ending == nil)
    }

    /// It reads on in time, so that its stream goes on; what retention removed meanwhile is told
    /// in the middle of it.
    @Test(arguments: SubscriberForm.streams)
    func whoFallsOffTheRetentionIsToldInTheMiddleOfTheStream(form: SubscriberForm) throws {
        let daemon = try RunningDaemon(configuration: "[retention]\ngrace = 0\n")
        let client = try daemon.connect()
        try client.register("t.a", "?keep=5")
        let start = try RunStart(daemon).cursor
        let stopped = try Follower(
            daemon.unix, form, of: "t.a", after: start, receiveBufferBytes: 16_384)
        let published = try publish(client, to: "t.a")
        try stopped.read(until: Self.last)
        #expect(stopped.history.turns.count == 1)
        expectComplete(stopped, published, gaps: true)
        let told = stopped.history.turns[0].told
        let gap = told.firstIndex { if case .gap = $0 { true } else { false } }
        #expect(try #require(gap) > 1, "something was told before the gap")
    }

    @Test(arguments: SubscriberForm.streams)
    func whoIsCutOffWhileRetentionTrimsIsToldWhenItResumes(form: SubscriberForm) throws {
        let daemon = try RunningDaemon(
            configuration: "[http]\nsend_seconds = 1\n[retention]\ngrace = 0\n")
        let client = try daemon.connect()
        try client.register("t.a", "?keep=5")
        let start = try RunStart(daemon).cursor
        let stopped = try Follower(
            daemon.tcp, form, of: "t.a", after: start, receiveBufferBytes: 16_384)
        try client.await(subscribers: 1, of: "t.a")
        let published = try publish(client, to: "t.a")
        try client.await(subscribers: 0, of: "t.a")
        try expectCut(stopped)
        try stopped.resume(daemon.tcp)
        try stopped.read(until: Self.last)
        expectComplete(stopped, published, gaps: true)
    }

    @Test(arguments: SubscriberForm.streams)
    func whoVanishesIsNotCountedAnyMore(form: SubscriberForm) throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        try client.register("t")
        let start = try RunStart(daemon).cursor
        for address in [daemon.tcp, daemon.unix] {
            let followers = try (0..<4).map { _ in
                try Follower(address, form, of: "t", after: start)
            }
            try client.await(subscribers: 4, of: "t")
            followers[0].stream.client.close()
            followers[1].stream.client.reset()
            try client.await(subscribers: 2, of: "t")
            followers[2].stream.client.halfClose()
            followers[2].stream.client.close()
            followers[3].stream.client.halfClose()
            followers[3].stream.client.reset()
            try client.await(subscribers: 0, of: "t")
        }
    }

    /// Over a unix socket nobody can tell whether a peer that sends no more still reads: there the
    /// stream may end as it should, and is resumed.
    @Test(arguments: SubscriberForm.streams.filter { !$0.isSocket })
    func whoSendsNoMoreStillReads(form: SubscriberForm) throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let start = try RunStart(daemon).cursor
        for (topic, address) in [("t.tcp", daemon.tcp), ("t.unix", daemon.unix)] {
            let follower = try Follower(address, form, of: topic, after: start)
            follower.stream.client.halfClose()
            var published: [Publication] = []
            for number in 1...3 {
                published += try publish(client, to: topic, number...number)
                let payload = Self.payload(number)
                try follower.read(payload) { $0.newest?.payload == payload }
                if case .unix = address, follower.stream.ending == .clean(isKept: false) {
                    try follower.resume(address)
                    try follower.read(until: payload)
                }
            }
            #expect(follower.stream.ending == nil)
            expectComplete(follower, published)
        }
    }
}
