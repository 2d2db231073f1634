import Protection
import Telemetry
import TestSupport
import Testing
import Topics

@testable import Work

/// Whose turn it is to read the store, and what a read counts.
@Suite(.blocking) struct ReadSpaceTests {
    private let memory = MemoryBudget(bytesMax: 8_000)
    private let thread = WorkThread()
    private let relieved = Protected(0)
    private let begun = Protected<[(name: String, room: ReadRoom)]>([])

    private func space() -> ReadSpace {
        ReadSpace(of: memory, on: thread) { [relieved] in relieved.write { $0 += 1 } }
    }

    private func read(_ name: String, _ bytes: Int, for user: UInt32, in space: ReadSpace) {
        space.read(bytes, for: user) { [begun] room in begun.write { $0.append((name, room)) } }
    }

    /// The names of the reads that have begun and have room still.
    private func names() throws -> [String] {
        for user: UInt32 in 1...3 {
            let gate = Gate()
            thread.run(for: user) { gate.open() }
            try gate.wait()
        }
        return begun.value.map(\.name).sorted()
    }

    private func end(_ name: String) {
        let rooms = begun.write { begun in
            let rooms = begun.filter { $0.name == name }
            begun.removeAll { $0.name == name }
            return rooms
        }
        withExtendedLifetime(rooms) {}
    }

    /// Ends all reads, and those that begin then: a read that waits in a space, and has the list of rooms
    /// of it, would keep all of them for ever.
    private func endAll() throws {
        while case let names = try names(), !names.isEmpty { for name in names { end(name) } }
    }

    @Test func oneUserHasThreeQuartersAndUsersTakeTurns() throws {
        let space = space()
        for index in 1...5 { read("a\(index)", 250, for: 1, in: space) }
        #expect(try names() == ["a1", "a2", "a3"])
        read("b1", 250, for: 2, in: space)
        read("b2", 250, for: 2, in: space)
        #expect(try names() == ["a1", "a2", "a3", "b1"])
        #expect(memory.used(.work) == 1_000)
        end("a1")
        #expect(try names() == ["a2", "a3", "a4", "b1"])
        end("a2")
        #expect(try names() == ["a3", "a4", "b1", "b2"])
        try endAll()
        #expect(memory.used(.work) == 0)
    }

    @Test func nobodyGoesBeforeALargeReadWhoseTurnItIs() throws {
        let space = space()
        for name in ["a", "b"] { read(name, 500, for: name == "a" ? 1 : 2, in: space) }
        read("large", 900, for: 3, in: space)
        read("small", 10, for: 1, in: space)
        #expect(try names() == ["a", "b"])
        end("a")
        #expect(try names() == ["b"])
        end("b")
        #expect(try names() == ["large", "small"])
        try endAll()
    }

    @Test func oneReadAloneHasRoomHoweverLargeItIs() throws {
        let space = space()
        read("a", 5_000, for: 1, in: space)
        read("b", 1, for: 2, in: space)
        #expect(try names() == ["a"])
        end("a")
        #expect(try names() == ["b"])
        try endAll()
    }

    @Test func eventsMakeRoomForWhatIsTakenBeyondTheBudget() throws {
        let space = space()
        memory.charge(7_900, to: .events)
        read("a", 100, for: 1, in: space)
        #expect(try names() == ["a"] && relieved.value == 0)
        read("b", 100, for: 1, in: space)
        #expect(try names() == ["a", "b"] && relieved.value == 1)
        try endAll()
    }

    @Test func whatWasReadCountsUntilTheLastPartOfItIsGone() throws {
        let space = space()
        read("a", 1_000, for: 1, in: space)
        #expect(try names() == ["a"])
        let events = (1...3).map { id in
            Event(
                id: EventID(rawValue: UInt64(id)), time: Timestamp(microseconds: 0),
                topic: try! TopicName("jobs"), payload: Payload([UInt8](repeating: 0, count: id)),
                metadata: .none, sender: .unknown, isStored: true)
        }
        let sizes = events.map(\.memoryBytes)
        begun.value[0].room.note(events)
        #expect(memory.used(.work) == 1_000)
        begun.value[0].room.settle()
        #expect(memory.used(.work) == sizes.reduce(0, +))
        var part = begun.value[0].room.part(of: Array(events[..<2]))
        #expect(begun.value[0].room.part(of: [events[0]]) == nil)
        end("a")
        #expect(memory.used(.work) == sizes[0] + sizes[1] && part != nil)
        part = nil
        #expect(memory.used(.work) == 0)
    }
}
