import TestSupport
import Testing

@testable import HTTPFront

@Suite struct LoopTimerWheelTests {
    @Test func deadlineIsToldOnceAndNotBeforeItsTime() {
        var wheel = TimerWheel(now: 1000)
        wheel.arm(3, due: 1100)
        #expect(wheel.nextDue == 1100)
        #expect(wheel.advance(to: 1099, atMost: .max) == [])
        #expect(wheel.advance(to: 1100, atMost: .max) == [3])
        #expect(wheel.advance(to: 100_000, atMost: .max) == [])
        #expect(wheel.nextDue == nil)
    }

    @Test func armingAgainReplacesTheDeadline() {
        var wheel = TimerWheel(now: 0)
        wheel.arm(0, due: 50)
        wheel.arm(0, due: 5_000_000)
        #expect(wheel.advance(to: 4_999_999, atMost: .max) == [])
        #expect(wheel.nextDue == 5_000_000)
        wheel.arm(0, due: 5_000_001)
        #expect(wheel.advance(to: 5_000_001, atMost: .max) == [0])
    }

    @Test func deadlineInThePastIsDueAtOnce() {
        var wheel = TimerWheel(now: 10_000)
        wheel.arm(7, due: 3)
        #expect(wheel.nextDue ?? .max <= 10_000)
        #expect(wheel.advance(to: 10_000, atMost: .max) == [7])
    }

    @Test func cancellingTheLastDeadlineLetsTheLoopSleep() {
        var wheel = TimerWheel(now: 0)
        wheel.arm(1, due: 10)
        wheel.arm(2, due: 20)
        wheel.cancel(1)
        wheel.cancel(1)
        wheel.cancel(999)
        #expect(wheel.nextDue != nil)
        wheel.cancel(2)
        #expect(wheel.nextDue == nil)
    }

    @Test func whatIsGivenBackIsDueFirstAndInItsOrder() {
        var wheel = TimerWheel(now: 0)
        for id in 0..<6 { wheel.arm(id, due: UInt64(10 * id)) }
        #expect(wheel.advance(to: 35, atMost: .max) == [0, 1, 2, 3])
        wheel.giveBack(from: 1)
        #expect(wheel.nextDue ?? .max <= 35)
        #expect(wheel.advance(to: 100, atMost: 2) == [1, 2])
        wheel.giveBack(from: 1)
        #expect(wheel.advance(to: 100, atMost: .max) == [2, 3, 4, 5])
        #expect(wheel.nextDue == nil)
    }

    @Test func whatWasCancelledOrArmedMeanwhileIsNotGivenBack() {
        var wheel = TimerWheel(now: 0)
        for id in 0..<3 { wheel.arm(id, due: 10) }
        #expect(wheel.advance(to: 10, atMost: .max).count == 3)
        wheel.cancel(0)
        wheel.arm(1, due: 500)
        wheel.giveBack(from: 0)
        #expect(wheel.advance(to: 499, atMost: .max) == [2])
        #expect(wheel.advance(to: 500, atMost: .max) == [1])
    }

    @Test func farDeadlineDoesNotWakeAtEveryTurn() {
        var wheel = TimerWheel(now: 0)
        wheel.arm(0, due: 3_600_000)
        wheel.arm(1, due: 100)
        #expect(wheel.advance(to: 100, atMost: .max) == [1])
        #expect(wheel.nextDue == 3_600_000)
    }

    /// A wheel and a dictionary are given the same random work, over many turns of the wheel.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func agreesWithAPlainTable(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var now = UInt64.random(in: 0...1_000_000, using: &random)
        var wheel = TimerWheel(now: now)
        var model: [Int: UInt64] = [:]
        for _ in 0..<5_000 {
            let id = Int.random(in: 0..<200, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let range: UInt64 = [10, 500, 8_192, 100_000].randomElement(using: &random)!
                let due = now + UInt64.random(in: 0...range, using: &random)
                wheel.arm(id, due: due)
                model[id] = due
            case 5..<7:
                wheel.cancel(id)
                model[id] = nil
            default:
                let step: UInt64 = [0, 1, 7, 8, 9, 300, 20_000].randomElement(using: &random)!
                now += step
                let countMax = [1, 3, 50, .max].randomElement(using: &random)!
                let expired = wheel.advance(to: now, atMost: countMax)
                let due = model.filter { $0.value <= now }
                #expect(expired.count == min(due.count, countMax), "seed \(seed)")
                #expect(Set(expired).isSubset(of: due.keys), "seed \(seed)")
                let kept = Int.random(in: 0...expired.count, using: &random)
                wheel.giveBack(from: kept)
                for id in expired[..<kept] { model[id] = nil }
            }
            // Never later than the truth, and nil exactly when nothing is armed.
            #expect((wheel.nextDue == nil) == model.isEmpty, "seed \(seed)")
            if let next = wheel.nextDue, let first = model.values.min() { #expect(next <= first) }
        }
    }
}
