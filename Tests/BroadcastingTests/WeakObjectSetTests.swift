import TestSupport
import Testing

@testable import Broadcasting

@Suite struct WeakObjectSetTests {
    private final class Thing {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    private typealias Things = WeakObjectSet<Thing>

    private let things = (0..<8).map { Thing($0) }

    private func numbers(_ set: Things) -> [Int] { set.map(\.number) }

    private func set(_ numbers: Int...) -> Things { Things(numbers.map { things[$0] }) }

    @Test func membersComeInOrderOfInsertion() {
        var set = set(3, 1, 2)
        let again = set.insert(things[3])
        #expect(!again.inserted)
        #expect(numbers(set) == [3, 1, 2])
        set.remove(things[3])
        set.insert(things[3])
        #expect(numbers(set) == [1, 2, 3])
    }

    @Test func onlyMembersAreRemoved() {
        var set = set(0, 1)
        #expect(set.remove(things[2]) == nil)
        #expect(set.remove(things[0]) === things[0])
        #expect(set.remove(things[0]) == nil)
        #expect(set.count == 1)
        #expect(!set.contains(things[0]))
        #expect(set.contains(things[1]))
    }

    @Test func aMemberThatIsGoneIsNoMember() {
        var set = set(0)
        var passing: Thing? = Thing(100)
        if let passing { set.insert(passing) }
        #expect(numbers(set) == [0, 100])
        passing = nil
        #expect(numbers(set) == [0])
        #expect(set.count == 1)
        #expect(set == self.set(0))
    }

    @Test func aSetOfTheDeadIsEmpty() {
        var set = Things()
        for number in 0..<5 { set.insert(Thing(number)) }
        #expect(set.isEmpty)
        #expect(set == [])
    }

    @Test func anObjectAtADeadMembersAddressIsNoMember() {
        var set = Things()
        for number in 0..<1_000 {
            let thing = Thing(number)
            #expect(!set.contains(thing))
            #expect(set.insert(thing).inserted)
        }
    }

    @Test func theDeadTakeNoMoreThanTheLivingDid() {
        var set = Things()
        for thing in things { set.insert(thing) }
        for number in 0..<10_000 {
            set.insert(Thing(number))
            #expect(set.table.count <= 17)
            #expect(set.table.entries.count <= 34)
        }
        #expect(numbers(set) == Array(0..<8))
    }

    @Test func insertionAndRemovalLeaveNothingBehind() {
        var set = Things()
        for _ in 0..<10_000 {
            set.insert(things[0])
            set.remove(things[0])
            #expect(set.table.entries.count <= 32)
        }
        #expect(set.isEmpty)
    }

    @Test func aSweepCostsNoMoreThanTheInsertionsBeforeIt() {
        let many = (0..<4_096).map { Thing($0) }
        defer { withExtendedLifetime(many) {} }
        var set = Things()
        var sweeps = 0
        for thing in many {
            let due = set.sweepAt
            set.insert(thing)
            guard set.sweepAt != due else { continue }
            sweeps += 1
            #expect(set.sweepAt == 2 * due)
        }
        #expect(sweeps == 8)
        #expect(numbers(set) == Array(0..<4_096))
    }

    @Test func theAlgebraIsThatOfSets() {
        let left = set(0, 1, 2, 3)
        let right = set(5, 3, 2)
        #expect(numbers(left.union(right)) == [0, 1, 2, 3, 5])
        #expect(numbers(left.intersection(right)) == [2, 3])
        #expect(numbers(left.subtracting(right)) == [0, 1])
        #expect(numbers(left.symmetricDifference(right)) == [0, 1, 5])
        #expect(set(2, 3).isSubset(of: right))
        #expect(!right.isSubset(of: left))
        #expect(set(0, 1).isDisjoint(with: right))
        #expect(set(1, 0) == set(0, 1))
        #expect(set(1, 0) != set(0, 2))
        #expect(set(0) != set(0, 1))
    }

    @Test func updatingTellsWhetherTheObjectWasThere() {
        var set = set(0)
        #expect(set.update(with: things[0]) === things[0])
        #expect(set.update(with: things[1]) == nil)
    }

    @Test func anIterationSeesTheSetAsItWasWhenItBegan() {
        var set = set(0, 1, 2)
        var seen: [Int] = []
        for thing in set {
            seen.append(thing.number)
            set.remove(things[2])
            set.insert(things[3])
        }
        #expect(seen == [0, 1, 2])
        #expect(numbers(set) == [0, 1, 3])
    }

    /// Objects come, go and come back at the addresses of others, thousands of times.
    @Test func itBehavesLikeAListWithoutDuplicates() {
        var random = SeededRandom(for: "a weak set against its model")
        var owners: [Thing] = []
        var model: [Int] = []
        var set = Things()
        for number in 0..<5_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                owners.append(Thing(number))
                set.insert(owners[owners.count - 1])
                model.append(number)
            case 4..<6 where !owners.isEmpty:
                let again = owners[Int.random(in: owners.indices, using: &random)]
                let isNew = set.insert(again).inserted
                #expect(isNew == !model.contains(again.number))
                if isNew { model.append(again.number) }
            case 6..<8 where !owners.isEmpty:
                let thing = owners[Int.random(in: owners.indices, using: &random)]
                #expect((set.remove(thing) != nil) == model.contains(thing.number))
                model.removeAll { $0 == thing.number }
            case 8 where !owners.isEmpty:
                let gone = owners.remove(at: Int.random(in: owners.indices, using: &random)).number
                model.removeAll { $0 == gone }
            default:
                #expect(numbers(set) == model)
            }
        }
        #expect(numbers(set) == model)
    }
}
