import Foundation
import TestSupport
import Testing
import Topics

@testable import BelfryClient

/// In a process of its own, whose threads nobody else starts.
@Suite(.blocking) struct ManySubscriptionsTests {
    private static func threads() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    }

    /// Whether the thread of a client is still there.
    private static func hasClientThread() throws -> Bool {
        // One that ends in between has no name any more.
        try threads().contains {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))
                == "\(TransferThread.name)\n"
        }
    }

    @Test func aThousandOfOneClientAreDeliveredOnOneThreadWhichEndsWithThem() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            FileLimit.raise()
            let daemon = try RunningDaemon()
            try await Self.deliverToAThousand(of: daemon)
            // A process whose exit comes before the end of this thread leaves what libcrypto keeps
            // for the thread: its clean-up at exit takes the means to free that.
            let end = ContinuousClock.now + .seconds(60)
            while try Self.hasClientThread() {
                guard ContinuousClock.now < end else { fatalError("the thread did not end") }
                await Task.yield()
            }
        }
    }

    private static func deliverToAThousand(of daemon: RunningDaemon) async throws {
        let client = try BusClient(ClientConfiguration(address: .socket(daemon.socketPath)))
        var subscriptions = [try await client.subscribe(Selector("log,own"))]
        guard try hasClientThread() else { fatalError("the thread has another name") }
        let before = try threads().count
        for index in 1..<1000 {
            subscriptions.append(try await client.subscribe(Selector("log,own.\(index)")))
        }
        try await client.publish("for all", to: "log")
        for subscription in subscriptions {
            var iterator = subscription.makeAsyncIterator()
            guard case .event(let event) = try await iterator.next(),
                event.payload.text == "for all"
            else { fatalError("the event was not delivered") }
        }
        // Those of tasks come when they are needed, one for each processor at most.
        let more = try threads().count - before
        guard more <= ProcessInfo.processInfo.activeProcessorCount else {
            fatalError("\(more) threads more for 999 subscriptions more")
        }
    }
}
