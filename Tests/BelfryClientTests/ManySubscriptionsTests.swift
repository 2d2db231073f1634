import Foundation
import TestSupport
import Testing
import Topics

@testable import BelfryClient

/// In a process of its own, whose threads nobody else starts.
@Suite(.blocking) struct ManySubscriptionsTests {
    private static func threadCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }

    @Test func aThousandOfOneClientAreDeliveredOnOneThread() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            FileLimit.raise()
            let daemon = try RunningDaemon()
            let client = try BusClient(
                ClientConfiguration(address: .socket(daemon.socketPath)))
            var subscriptions = [try await client.subscribe(Selector("log,own"))]
            let before = try Self.threadCount()
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
            let more = try Self.threadCount() - before
            guard more <= ProcessInfo.processInfo.activeProcessorCount else {
                fatalError("\(more) threads more for 999 subscriptions more")
            }
        }
    }
}
