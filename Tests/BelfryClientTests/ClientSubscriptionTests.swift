import Glibc
import TestSupport
import Testing
import Topics

@testable import BelfryClient

/// Subscriptions against the built daemon, over its unix socket, whose path outlives restarts.
@Suite(.blocking) struct ClientSubscriptionTests {
    private func client(of daemon: RunningDaemon) throws -> BusClient {
        try BusClient(ClientConfiguration(address: .socket(daemon.socketPath)))
    }

    /// The texts of the next events, gaps among them as such.
    private func next(
        _ count: Int, of subscription: ClientSubscription
    ) async throws -> [String] {
        var iterator = subscription.makeAsyncIterator()
        var told: [String] = []
        while told.count < count, let delivery = try await iterator.next() {
            switch delivery {
            case .event(let event): told.append(event.payload.text)
            case .gap(let gap): told.append("gap \(gap.after < gap.through)")
            }
        }
        return told
    }

    @Test func whatIsPublishedBehindTheSubscriptionIsDelivered() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let subscription = try await client.subscribe(Selector("builds.>"))
        for text in ["one", "two"] { try await client.publish(text, to: "builds.web") }
        try await client.publish("other", to: "tests")
        let last = try await client.publish("three", to: "builds.app")
        #expect(try await next(3, of: subscription) == ["one", "two", "three"])
        #expect(subscription.cursor == last)
    }

    @Test func anEventComesWithAllThatWasSaidOfIt() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let payloads = [
            [UInt8]("plain \"quoted\" \\ \u{7F}\u{2028} \u{1F514}\n".utf8), [0xFF, 0, 0xFE], [],
            [0xFF],
        ]
        let metadata = try EventMetadata(type: "kind", key: "a \"key\"", contentType: "text/x")
        var ids: [EventID] = []
        for bytes in payloads {
            let receipt = try await client.publish(
                PublishBatch(
                    topic: TopicName("all"), metadata: metadata, payloads: [Payload(bytes)]))
            ids.append(receipt.first)
        }
        let subscription = try await client.subscribe(
            Selector("all"), since: .earliest, filter: EventFilter(type: "kind", key: nil))
        var iterator = subscription.makeAsyncIterator()
        for (id, bytes) in zip(ids, payloads) {
            guard case .event(let event) = try await iterator.next() else {
                Issue.record("no event for \(bytes)")
                return
            }
            #expect(event.id == id && event.metadata == metadata)
            #expect(Array(event.payload.bytes) == bytes)
            #expect(event.sender.uid == getuid() && event.sender.pid == getpid())
        }
    }

    @Test func aSubscriptionUntilNowEnds() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let empty = try await client.subscribe(
            Selector("log"), since: .earliest, until: .now)
        #expect(try await next(1, of: empty) == [])
        for index in 0..<3 { try await client.publish("\(index)", to: "log") }
        let subscription = try await client.subscribe(
            Selector("log"), since: .earliest, until: .now)
        try await client.publish("later", to: "log")
        #expect(try await next(9, of: subscription) == ["0", "1", "2"])
    }

    @Test func aCursorBehindWhatWasRemovedIsToldAGap() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("small")
        _ = try await client.register(
            topic,
            settings: TopicSettings(
                retention: Retention(keep: 1, bytes: nil, age: nil), persists: true))
        let first = try await client.publish("1", to: "small")
        for text in ["2", "3"] { try await client.publish(text, to: "small") }
        let subscription = try await client.subscribe(Selector(topic), since: .after(first))
        #expect(try await next(2, of: subscription) == ["gap true", "3"])
    }

    @Test func overKillsAndRestartsNothingIsMissedOrDoubled() async throws {
        var daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let subscription = try await client.subscribe(Selector("log"))
        var published: [String] = []
        var received: [String] = []
        for round in 0..<4 {
            for index in 0..<50 {
                published.append("\(round).\(index)")
                try await client.publish(published.last!, to: "log")
            }
            // Some of them are still to be delivered when it ends.
            received += try await next(round * 10 + 5, of: subscription)
            if round % 2 == 0 { try daemon.kill() }
            daemon = try daemon.restarted()
        }
        try await client.publish("end", to: "log")
        received += try await next(published.count + 1 - received.count, of: subscription)
        #expect(received == published + ["end"])
    }

    @Test func aSlowReaderHoldsABoundedPart() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("large")
        let payload = Payload([UInt8](repeating: 0x61, count: 256 << 10))
        let batch = PublishBatch(topic: topic, payloads: [payload])
        for _ in 0..<100 { _ = try await client.publish(batch) }
        let subscription = try await client.subscribe(Selector(topic), since: .earliest)
        #expect(try await next(1, of: subscription).count == 1)
        // Each of these is some turns of the thread that would take more in.
        for _ in 0..<50 {
            _ = try await client.newest(of: Selector(topic))
            #expect(subscription.heldBytes < 1 << 20)
        }
        var iterator = subscription.makeAsyncIterator()
        for _ in 1..<100 {
            guard case .event(let event) = try await iterator.next() else {
                Issue.record("a gap, or the end")
                return
            }
            #expect(event.payload.count == payload.count)
            #expect(subscription.heldBytes < 1 << 20)
        }
    }

    @Test func aCancelledSubscriptionEndsAndLeavesTheBus() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("quiet")
        _ = try await client.register(topic)
        let subscription = try await client.subscribe(Selector(topic))
        #expect(try await client.description(of: topic)?.subscribers == 1)
        let task = Task { try await next(1, of: subscription) }
        task.cancel()
        #expect(try await task.value == [])
        #expect(try await next(1, of: subscription) == [])
        // The bus sees the end of the connection in a turn of its own.
        while try await client.description(of: topic)?.subscribers != 0 {}
    }

    @Test func aReleasedSubscriptionLeavesTheBus() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("quiet")
        _ = try await client.register(topic)
        do {
            let subscription = try await client.subscribe(Selector(topic))
            #expect(try await client.description(of: topic)?.subscribers == 1)
            withExtendedLifetime(subscription) {}
        }
        while try await client.description(of: topic)?.subscribers != 0 {}
    }

    @Test func aSubscriptionOutlivesItsClient() async throws {
        let daemon = try RunningDaemon()
        let subscription = try await client(of: daemon).subscribe(Selector("log"))
        try await client(of: daemon).publish("still here", to: "log")
        #expect(try await next(1, of: subscription) == ["still here"])
    }

    @Test func aProgramThatIsStartedDoesNotInheritTheConnection() async throws {
        let daemon = try RunningDaemon()
        let subscription = try await client(of: daemon).subscribe(Selector("log"))
        let flags = OpenDescriptors.all.filter { Self.peer(of: $0) == daemon.socketPath }
            .map { fcntl($0, F_GETFD) }
        #expect(!flags.isEmpty && flags.allSatisfy { $0 & FD_CLOEXEC != 0 })
        withExtendedLifetime(subscription) {}
    }

    /// The path of the unix socket that a descriptor is connected to.
    private static func peer(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length) == 0
            }
        }
        guard isConnected, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: &address.sun_path) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
