import Broadcasting
import Protection
import TestSupport
import Testing

@Suite(.blocking) struct WeakObjectTests {
    private final class Thing: Sendable {}

    @Test func itKeepsItsObjectOnlyAsLongAsOthersDo() {
        var thing: Thing? = Thing()
        let weak = thing.map { WeakObject($0) }
        #expect(weak?.object === thing)
        thing = nil
        #expect(weak?.object == nil)
    }

    @Test func equalityOutlivesTheObject() throws {
        var thing: Thing? = Thing()
        let first = try WeakObject(#require(thing))
        let second = try WeakObject(#require(thing))
        let other = Thing()
        #expect(first == second)
        thing = nil
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(first != WeakObject(other))
    }

    @Test func anObjectAtTheSameAddressLaterIsAnotherOne() {
        let dead = (0..<2_000).map { _ in WeakObject(Thing()) }
        #expect(dead.allSatisfy { $0.object == nil })
        #expect(Set(dead).count == dead.count)
        #expect(Set(dead.map(\.identity)).count == dead.count)
    }

    @Test func copiesKeepTheIdentityOfADeadObject() {
        var copies: [WeakObject<Thing>] = []
        for _ in 0..<500 {
            var original: WeakObject? = WeakObject(Thing())
            if let original { copies.append(original) }
            original = nil
        }
        for _ in 0..<500 {
            let thing = Thing()
            #expect(!copies.contains(WeakObject(thing)))
        }
    }

    @Test func oneIsReadWhileItsObjectGoes() throws {
        for _ in 0..<50 {
            let owner = Protected<Thing?>(Thing())
            let weak = try WeakObject(#require(owner.value))
            try inParallel(4) { index in
                if index == 0 { owner.value = nil }
                _ = weak.object.map { ObjectIdentifier($0) == weak.identity }
            }
            #expect(weak.object == nil)
        }
    }
}
