import Glibc
import Protection
import TestSupport
import Testing
import Topics

/// What the end of an `EventStore` means, as one body for every store there is.
@Suite(.blocking) struct StoreEndingTests {
    @Test(arguments: StoreRig.Kind.allCases)
    func whatIsAskedForAfterTheEndFails(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        let last = try rig.publish("a", "x")[0].id
        rig.close()
        #expect(throws: BusError.draining) { try rig.publish("a", "y") }
        #expect(throws: BusError.draining) { try rig.publish("a", "y", persists: false) }
        #expect(throws: BusError.draining) { try rig.remove("a") }
        guard rig.store.capabilities.keepsOlder else { return }
        #expect(throws: BusError.draining) {
            try rig.read("a", from: .after(.zero), through: last)
        }
    }

    @Test(arguments: StoreRig.Kind.allCases)
    func anEndThatACallbackAsksForComesBehindWhatWaits(kind: StoreRig.Kind) throws {
        var rig = try StoreRig(kind)
        let (name, told) = (try TopicName("a"), Protected<[EventID]>([]))
        let hasReturned = Gate()
        let end = Gate()
        let batch = PublishBatch(topic: name, payloads: [.empty])
        // On a thread that can be left behind: it would wait for ever.
        try inParallel(1, within: .seconds(60)) { [rig] _ in
            rig.store.commit(.events(batch, persists: true)) { outcome in
                if case .success(.events(let events)) = outcome { told.append(events[0].id) }
                rig.store.commit(.events(batch, persists: true)) { outcome in
                    if case .success(.events(let events)) = outcome { told.append(events[0].id) }
                    end.open()
                }
                rig.close()
                hasReturned.open()
            }
            try hasReturned.wait(within: .seconds(60))
            try end.wait(within: .seconds(60))
        }
        #expect(told.value.count == 2)
        #expect(throws: BusError.draining) { try rig.publish("a", "late") }
        guard kind == .sqlite else { return }
        // The file is let go of behind the callback.
        let deadline = Deadline(seconds: 60)
        while true {
            do {
                rig = try rig.reopened()
                break
            } catch is StoreError {
                try #require(!deadline.isOver)
                poll(nil, 0, 1)
            }
        }
        #expect(
            try rig.read("a", from: .after(.zero), through: rig.contents.newest).map(\.id)
                == told.value)
    }

    @Test(arguments: StoreRig.Kind.allCases)
    func theEndWaitsForWhatIsUnderWayAndTakesNothingMore(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        let asked = Protected(0)
        let answered = Protected(0)
        let taken = Protected(0)
        let hasEnded = Protected(false)
        let isWorking = Gate(openings: 60)
        try inParallel(4) { thread in
            if thread == 0 {
                try isWorking.wait()
                rig.close()
                let count = taken.value
                hasEnded.value = true
                #expect(throws: BusError.draining) { try rig.publish("a", "late") }
                #expect(taken.value == count)
                return
            }
            let batch = PublishBatch(topic: try TopicName("t\(thread)"), payloads: [.empty])
            while !hasEnded.value {
                asked.write { $0 += 1 }
                let gate = Gate()
                rig.store.commit(.events(batch, persists: true)) { outcome in
                    if case .success = outcome { taken.write { $0 += 1 } }
                    answered.write { $0 += 1 }
                    isWorking.open()
                    gate.open()
                }
                try gate.wait()
            }
        }
        #expect(asked.value == answered.value)
    }
}
