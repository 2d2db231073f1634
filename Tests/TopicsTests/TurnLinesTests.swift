import Protection
import Queues
import TestSupport
import Testing

/// Lines that take turns, without a thread.
struct TurnLinesTests {
    private func taken(_ lines: inout TurnLines<Int, String>) -> String {
        lines.takeAll().joined(separator: " ")
    }

    @Test func linesTakeTurnsAndEachIsTakenInOrder() {
        var lines = TurnLines<Int, String>()
        for name in ["a1", "a2", "a3", "a4"] { lines.add(name, to: 1) }
        for name in ["b1", "b2"] { lines.add(name, to: 2) }
        lines.add("c1", to: 3)
        #expect(lines.lineCount == 3)
        let taken = taken(&lines)
        #expect(taken == "a1 b1 c1 a2 b2 a3 a4")
        #expect(lines.isEmpty && lines.lineCount == 0)
    }

    @Test func whatComesLateWaitsForOneOfEachOtherLine() {
        var lines = TurnLines<Int, String>()
        for number in 0..<1_000 { lines.add("a\(number)", to: 1) }
        for number in 0..<1_000 { lines.add("b\(number)", to: 2) }
        for _ in 0..<5 { _ = lines.take() }
        lines.add("c", to: 3)
        let next = (0..<3).compactMap { _ in lines.take() }
        #expect(next == ["b2", "a3", "c"])
    }

    @Test func aFullLineRefusesAndOthersDoNot() {
        var lines = TurnLines<Int, String> { _ in .init(waiting: 2) }
        let first = ["a1", "a2", "a3"].map { lines.add($0, to: 1) }
        #expect(first == [true, true, false])
        let other = lines.add("b1", to: 2)
        let next = lines.take()
        #expect(other && next == "a1")
        let second = ["a3", "a4"].map { lines.add($0, to: 1) }
        #expect(second == [true, false])
        let taken = taken(&lines)
        #expect(taken == "b1 a2 a3")
    }

    @Test func whatIsPutBackGoesBehindItsLineOrInFrontOfIt() {
        var lines = TurnLines<Int, String> { _ in .init(waiting: 2) }
        for name in ["a1", "a2"] { lines.add(name, to: 1) }
        lines.add("b1", to: 2)
        lines.putBack(lines.take()!, to: 1)
        lines.putBack("a0", to: 1)
        lines.putFirst(lines.take()!, of: 2)
        lines.putFirst("b0", of: 2)
        let taken = taken(&lines)
        #expect(taken == "a2 b0 a1 b1 a0")
    }

    @Test func ofALineSoManyAreUnderWayAndTheOthersGoOn() {
        var lines = TurnLines<Int, String> { .init(underWay: $0 == 1 ? 2 : nil) }
        for name in ["a1", "a2", "a3", "a4"] { lines.add(name, to: 1) }
        for name in ["b1", "b2", "b3"] { lines.add(name, to: 2) }
        let first = taken(&lines)
        #expect(first == "a1 b1 a2 b2 b3")
        #expect(!lines.isEmpty && lines.lineCount == 1)
        // Lines without a bound count nothing.
        lines.end(2)
        lines.end(1)
        let second = taken(&lines)
        #expect(second == "a3")
        for _ in 0..<2 { lines.end(1) }
        let third = taken(&lines)
        #expect(third == "a4" && lines.isEmpty)
    }

    @Test func turnsOfACostAreSharedAndWhatIsTooMuchWaitsAtItsPlace() {
        var lines = TurnLines<Int, String>()
        func take(_ cost: Int) -> String {
            var taken: [String] = []
            lines.take(atMost: 9, costing: cost, turn: 2, \.utf8.count) { taken.append($0) }
            return taken.joined(separator: " ")
        }
        for name in ["aaaaaa", "AAAAAA", "a"] { lines.add(name, to: 1) }
        for name in ["bbbb", "b"] { lines.add(name, to: 2) }
        for name in ["c", "d", "e", "f", "g"] { lines.add(name, to: 3) }
        // One goes in any case, and what fits behind it; the second line keeps its place in front.
        let first = take(7)
        #expect(first == "aaaaaa c")
        let second = take(7)
        #expect(second == "bbbb d e f")
        // What was too much is owed in turns of others.
        let third = take(3)
        #expect(third == "b g")
        let rest = take(3)
        #expect(rest == "AAAAAA" && !lines.isEmpty)
        let last = take(1)
        #expect(last == "a" && lines.isEmpty)
    }

    @Test func whatIsOverDoesNotPileUpInALineThatIsHeld() {
        let wanted = Protected<Set<Int>>([3, 77, 9_999])
        var lines = TurnLines<Int, Int>(
            bounds: { _ in .init(underWay: 0) }, isOver: { !wanted.value.contains($0) })
        var most = 0
        for number in 0..<10_000 {
            lines.add(number, to: 1)
            most = max(most, lines.count(of: 1))
        }
        #expect(most <= 65)
        wanted.value.insert(-1)
        // As many as wait for something take twice their number at the most, and none of them is lost.
        for number in 10_000..<10_500 {
            wanted.write { _ = $0.insert(number) }
            lines.add(number, to: 1)
        }
        for number in 20_000..<40_000 {
            lines.add(number, to: 1)
            most = max(most, lines.count(of: 1))
        }
        #expect(lines.count(of: 1) >= 503 && most <= 2 * 503 + 64)
    }

    @Test func whatIsOverIsForgottenInOrder() {
        var lines = TurnLines<Int, Int>(isOver: { $0 % 10 != 0 })
        for number in 0..<1_000 { lines.add(number, to: 1) }
        let left = lines.takeAll().filter { $0 % 10 == 0 }
        #expect(left == Array(stride(from: 0, to: 1_000, by: 10)))
    }

    /// Random turns against lists of what each line has.
    @Test func nothingIsLostAndNoLineIsPassedOver() {
        var random = SeededRandom(for: "turn lines")
        var lines = TurnLines<Int, Int>()
        var model: [Int: [Int]] = [:]
        var passed: [Int: Set<Int>] = [:]
        for number in 0..<20_000 {
            let line = Int.random(in: 0..<6, using: &random)
            if Int.random(in: 0..<5, using: &random) < 3 {
                lines.add(number * 6 + line, to: line)
                model[line, default: []].append(number * 6 + line)
            } else if let taken = lines.take() {
                let line = taken % 6
                let first = model[line]?.removeFirst()
                #expect(first == taken)
                passed[line] = []
                for (other, waiting) in model where other != line && !waiting.isEmpty {
                    // Nobody has a second turn while another one waits for the first.
                    let isFirst = passed[other, default: []].insert(line).inserted
                    #expect(isFirst)
                }
                if model[line]?.isEmpty == true { passed[line] = [] }
            }
        }
        let left = lines.takeAll().count
        #expect(left == model.values.reduce(0) { $0 + $1.count })
    }
}
