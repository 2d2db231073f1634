import TestSupport
import Testing
import Topics

@testable import Work

/// The workers of one host that wait for jobs of several hosts.
@Suite struct LocalLineTests {
    private static func worker(
        _ number: RequestNumber, waits: Bool = true, name: String? = nil
    ) -> LocalLine.Worker {
        LocalLine.Worker(
            number: number,
            next: WorkRequest.Next(
                holder: name.map { Holder(worker: $0, caller: "") }, caller: "", settlement: nil,
                isReplyAwaited: false, length: nil, countMax: 1,
                token: LeaseToken(high: 0, low: number), waits: waits), user: nil, then: { _ in })
    }

    /// A line in which so many workers wait, and know that there is nothing.
    private static func line(of count: RequestNumber) -> LocalLine {
        var line = LocalLine()
        for number in 1...count { _ = line.add(worker(number)) }
        for worker in line.takeReady() {
            _ = line.unserved(worker.number, settled: nil, goesOn: false)
        }
        return line
    }

    @Test func ofManyThatWaitOneAsksAndThenTwiceAsManyEachTime() {
        var line = Self.line(of: 20)
        #expect(line.takeReady().isEmpty)
        line.wake()
        var counts: [Int] = []
        for _ in 0..<4 {
            let asking = line.takeReady()
            counts.append(asking.count)
            for worker in asking { #expect(line.served(worker.number) != nil) }
        }
        #expect(counts[0] == 1 && counts.reduce(0, +) == 20)
        #expect(line.isEmpty)
    }

    @Test func newsThatCameMeanwhileAreLookedAfter() {
        var line = Self.line(of: 2)
        line.wake()
        let first = line.takeReady()
        line.wake()
        for worker in first {
            #expect(line.unserved(worker.number, settled: nil, goesOn: false) == nil)
        }
        #expect(line.takeReady().map(\.number) == [1])
    }

    @Test func theOneThatWaitsLongestAsksFirst() {
        var line = Self.line(of: 3)
        for _ in 0..<2 {
            line.wake()
            let asking = line.takeReady()
            #expect(asking.map(\.number) == [1])
            #expect(line.unserved(1, settled: nil, goesOn: false) == nil)
        }
    }

    @Test func aWorkerThatDoesNotWaitIsTold() {
        var line = Self.line(of: 1)
        #expect(line.add(Self.worker(9, waits: false)) == nil)
        #expect(line.takeReady().map(\.number) == [9])
        #expect(line.unserved(9, settled: nil, goesOn: true) == nil)
        #expect(line.takeReady().map(\.number) == [9])
        #expect(line.unserved(9, settled: nil, goesOn: false)?.number == 9)
    }

    @Test func aWorkerThatLeavesIsToldOnce() {
        var line = Self.line(of: 2)
        #expect(line.cancel(2)?.number == 2)
        line.wake()
        #expect(line.takeReady().map(\.number) == [1])
        // Its request is under way.
        #expect(line.cancel(1) == nil)
        #expect(line.unserved(1, settled: nil, goesOn: true)?.number == 1)
        #expect(line.isEmpty)
    }

    @Test func aWorkerThatLeavesBeforeItAskedIsToldAtOnce() {
        var line = LocalLine()
        _ = line.add(Self.worker(1))
        #expect(line.cancel(1)?.number == 1)
        #expect(line.takeReady().isEmpty && line.isEmpty)
    }

    @Test func aWorkerOfANameTakesThePlaceOfTheOneBefore() {
        var line = Self.line(of: 1)
        _ = line.add(Self.worker(5, name: "w"))
        #expect(line.takeReady().map(\.number) == [5])
        #expect(line.unserved(5, settled: nil, goesOn: false) == nil)
        #expect(line.add(Self.worker(6, name: "w"))?.number == 5)
    }

    /// Else the two would take the job from each other for ever.
    @Test func aWorkerOfANameThatAsksWhileAnotherDoesEndsThatOne() {
        var line = Self.line(of: 1)
        _ = line.add(Self.worker(5, name: "w"))
        #expect(line.takeReady().map(\.number) == [5])
        #expect(line.add(Self.worker(6, name: "w")) == nil)
        let first = line.unserved(5, settled: nil, goesOn: true)
        #expect(first?.isReplaced == true)
        #expect(line.takeReady().map(\.number) == [6])
        #expect(line.served(6)?.isReplaced == false)
    }

    @Test func aWorkerOfANameThatAskedAtAnotherHostEndsTheOneHere() throws {
        var line = Self.line(of: 3)
        _ = line.add(Self.worker(5, name: "w"))
        #expect(line.takeReady().map(\.number) == [5])
        #expect(line.unserved(5, settled: nil, goesOn: false) == nil)
        let holder = Holder(worker: "w", caller: "")
        #expect(line.replaceWaiting(holder)?.number == 5)
        #expect(line.replaceWaiting(holder) == nil)
        #expect(line.count == 3)
        // One that asks now comes behind it in the order.
        _ = line.add(Self.worker(6, name: "w"))
        #expect(line.takeReady().map(\.number) == [6])
        #expect(line.replaceWaiting(holder) == nil)
        #expect(line.unserved(6, settled: nil, goesOn: false) == nil)
        #expect(line.count == 4)
    }

    @Test func aRequestThatFailedIsMadeAgainALittleLater() {
        var line = Self.line(of: 1)
        line.wake()
        #expect(line.takeReady().count == 1)
        #expect(line.failed(1) == nil)
        #expect(line.takeReady().isEmpty)
        line.sweep()
        #expect(line.takeReady().map(\.number) == [1])
    }
}
