import Protection
import TestSupport
import Testing

@Suite struct WakeUpPipeTests {
    @Test func aSignalEndsOneWaitEvenIfItComesBefore() throws {
        let pipe = try WakeUpPipe()
        pipe.signal()
        #expect(pipe.wait(milliseconds: -1))
        #expect(!pipe.wait(milliseconds: 0))
    }

    @Test func manySignalsBeforeAWaitBlockNobody() throws {
        let pipe = try WakeUpPipe()
        for _ in 0..<100_000 { pipe.signal() }
        #expect(pipe.wait(milliseconds: -1))
    }

    @Test(.blocking) func aThreadThatWaitsIsWokenByAnother() throws {
        let pipe = try WakeUpPipe()
        let woken = Gate()
        let thread = try OwnedThread {
            if pipe.wait(milliseconds: -1) { woken.open() }
        }
        pipe.signal()
        try woken.wait()
        thread.join()
    }
}
