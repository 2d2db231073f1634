import Testing

@testable import Broadcasting

@Suite struct RegistryTests {
    private final class Thing {}

    private let place = Registry.Place(observed: ObjectIdentifier(Thing.self), topic: nil)

    /// What a broadcaster does when somebody registers.
    private func register(_ thing: Thing, in registry: inout Registry, topic: Int? = nil) {
        if registry.isSweepDue { registry.remove(registry.dead()) }
        _ = registry.add(thing, as: thing, of: Thing.self, topic: TopicKey(topic))
        _ = registry.takeDisplaced()
    }

    @Test func theDeadOfAbandonedTopicsAreSweptToo() {
        var registry = Registry()
        let standing = Thing()
        register(standing, in: &registry)
        for topic in 0..<10_000 {
            register(Thing(), in: &registry, topic: topic)
            #expect(registry.entryCount <= 2 * BroadcastingLimits.sweepEntriesMin)
        }
        registry.remove(registry.dead())
        #expect(registry.entryCount == 1)
        #expect(
            registry.registrations(at: place).compactMap { $0?.observer.object }.first === standing)
    }

    @Test func theLivingAreSweptOverRarely() {
        var registry = Registry()
        let things = (0..<1_024).map { _ in Thing() }
        var sweeps = 0
        for (topic, thing) in things.enumerated() {
            if registry.isSweepDue { sweeps += 1 }
            register(thing, in: &registry, topic: topic)
        }
        #expect(sweeps == 6)
        #expect(registry.entryCount == things.count)
    }

    @Test func removingLeavesNoEmptyTables() {
        var registry = Registry()
        let things = (0..<20).map { _ in Thing() }
        for (topic, thing) in things.enumerated() {
            register(thing, in: &registry, topic: topic % 5)
            register(thing, in: &registry)
        }
        for thing in things {
            registry.remove(ObjectIdentifier(thing), of: place.observed)
            registry.remove(ObjectIdentifier(thing), of: place.observed)
        }
        #expect(registry.entryCount == 0)
        #expect(registry.tables.count == 0)
    }

    @Test func aSweepTakesNothingFromAnObjectRegisteredMeanwhile() {
        var registry = Registry()
        for _ in 0..<100 { register(Thing(), in: &registry) }
        let found = registry.dead()
        #expect(!found.isEmpty)
        registry.removeAll(of: place.observed)
        let things = (0..<100).map { _ in Thing() }
        for thing in things { _ = registry.add(thing, as: thing, of: Thing.self, topic: nil) }
        registry.remove(found)
        #expect(registry.entryCount == things.count)
    }
}
