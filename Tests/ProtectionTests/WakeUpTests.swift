import Protection
import TestSupport
import Testing

@Suite struct WakeUpTests {
    @Test func aSignalEndsOneWaitEvenIfItComesBefore() throws {
        let wakeUp = WakeUp()
        wakeUp.signal()
        #expect(wakeUp.wait(milliseconds: -1))
        #expect(!wakeUp.wait(milliseconds: 0))
    }

    @Test func manySignalsBeforeAWaitBlockNobody() throws {
        let wakeUp = WakeUp()
        for _ in 0..<100_000 { wakeUp.signal() }
        #expect(wakeUp.wait(milliseconds: -1))
    }

    @Test(.blocking) func aThreadThatWaitsIsWokenByAnother() throws {
        let wakeUp = WakeUp()
        let woken = Gate()
        let thread = try OwnedThread {
            if wakeUp.wait(milliseconds: -1) { woken.open() }
        }
        wakeUp.signal()
        try woken.wait()
        thread.join()
    }
}
