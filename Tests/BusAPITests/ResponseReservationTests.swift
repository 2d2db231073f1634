import Protection
import Telemetry
import Testing

@testable import BusAPI

/// What answers take that are made beside the loops: a quarter of the budget, and one answer more.
struct ResponseReservationTests {
    private let memory = MemoryBudget(bytesMax: 4_000)
    private let asked = Protected<[Int]>([])
    private let relieved = Protected(0)

    private func space() -> ResponseQuota {
        ResponseQuota(of: memory, relieve: { [relieved] in relieved.write { $0 += 1 } }) {
            [asked] bytes in asked.write { $0.append(bytes) }
        }
    }

    @Test func whatBecomesLargerThanWasThoughtHasTheOthersWait() {
        let space = space()
        let rooms = (0..<4).map { _ in space.room(for: 250) }
        #expect(rooms.allSatisfy { $0.take() })
        rooms[0].settle(madeOf: 1_500)
        #expect(!rooms[1].take())
        #expect(asked.value == [1_250])
        // Sent, in part.
        rooms[0].settle(madeOf: 200)
        #expect(rooms[1].take())
    }

    @Test func oneGoesOnWhereNoneWaitsForItsReader() {
        let space = space()
        let rooms = (0..<3).map { _ in space.room(for: 300) }
        #expect(rooms.allSatisfy { $0.take() })
        // Their pages are larger than was thought, and nobody can make room by reading.
        for room in rooms { room.settle(at: 2_000) }
        #expect(rooms.allSatisfy { $0.take() })
        rooms[0].settle(madeOf: 3_000)
        #expect(!rooms[1].take() && !rooms[2].take())
    }

    @Test func roomThatIsGivenBackIsForOthersUntilItIsTakenAgain() {
        let space = space()
        let (first, second) = (space.room(for: 900), space.room(for: 900))
        #expect(first.take() && !second.take())
        first.giveBack()
        #expect(memory.used(.unsent) == 0 && !first.isTaken)
        #expect(second.take() && !first.take())
        second.settle(madeOf: 0)
        #expect(first.take())
        let urgent = space.room(for: 900, waits: false)
        urgent.giveBack()
        #expect(urgent.isTaken)
    }

    @Test func whatNothingWouldEndDoesNotWait() {
        let space = space()
        let first = space.room(for: 900)
        #expect(first.take())
        first.settle(madeOf: 5_000)
        let urgent = space.room(for: 900, waits: false)
        #expect(urgent.isTaken && urgent.take())
    }

    @Test func eventsMakeRoomAtOnceForWhatIsTakenBeyondTheBudget() {
        let space = space()
        memory.charge(3_000, to: .events)
        let first = space.room(for: 900)
        #expect(first.take() && relieved.value == 0)
        memory.charge(200, to: .events)
        let second = space.room(for: 50)
        #expect(second.take() && relieved.value == 1)
    }

    @Test func everythingIsGivenBack() {
        let space = space()
        for step in 0..<4 {
            let room = space.room(for: 700)
            guard step > 0, room.take() else { continue }
            if step > 1 { room.settle(at: 2_000) }
            if step > 2 { room.settle(madeOf: 900) }
        }
        #expect(memory.used(.unsent) == 0)
        // Nothing is thought to be in the making.
        let first = space.room(for: 900)
        #expect(first.take())
        first.settle(madeOf: 1_100)
        let second = space.room(for: 1, waits: true)
        #expect(!second.take())
    }
}
