import Telemetry
import Testing

@testable import HTTPFront

struct UnsentLedgerTests {
    private final class Owner: Sendable {}

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func whatIsCountedOfASharedBodyGoesWithItsLastAnswer(order: [Int]) {
        let memory = MemoryBudget(bytesMax: 1 << 20)
        let ledger = UnsentLedger(memory: memory)
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { storage.deallocate() }
        let owner = Owner()
        // Readers of HTTP/1.0 are sent a part of what readers of HTTP/1.1 are sent.
        let bodies = [80, 100, 90].map {
            ResponseBody.shared(
                owner: owner,
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<$0]))
        }
        for body in bodies { ledger.charge(body, extra: 7) }
        #expect(memory.used(.unsent) == 100 + 3 * 7)
        for (index, place) in order.enumerated() {
            #expect(memory.used(.unsent) == 100 + (3 - index) * 7)
            ledger.release(bodies[place], extra: 7)
        }
        #expect(memory.used(.unsent) == 0)
    }

    @Test func aSearchForThoseWhoReadNothingHoldsUpNoOther() {
        let memory = MemoryBudget(bytesMax: 1 << 20)
        let ledger = UnsentLedger(memory: memory)
        memory.charge(memory.bytesMax, to: .unsent)
        #expect(ledger.excess(with: 1, at: 1_000) > 0)
        ledger.foundNoneStalled(at: 1_000)
        #expect(ledger.excess(with: 1, at: 1_001) == 0)
        #expect(ledger.isShort(at: 1_001))
    }

    @Test func aSearchThatFoundNobodyIsRepeatedWhereMuchHasCome() {
        let memory = MemoryBudget(bytesMax: 1 << 20)
        let ledger = UnsentLedger(memory: memory)
        let share = memory.bytesMax / HTTPFrontLimits.unsentMemoryFraction
        memory.charge(share + 1, to: .unsent)
        ledger.foundNoneSlow(at: 1_000)
        #expect(!ledger.isShort(at: 1_000))
        memory.charge(share / 8, to: .unsent)
        #expect(ledger.isShort(at: 1_000))
        ledger.foundNoneSlow(at: 1_000)
        #expect(!ledger.isShort(at: 1_000))
        #expect(ledger.isShort(at: 1_000 + HTTPFrontLimits.shedIntervalMilliseconds))
    }
}
