import TestSupport
import Testing

@testable import Broadcasting

@Suite struct IdentityMapTests {
    private final class Thing {}

    private let things = (0..<200).map { _ in Thing() }

    private func identity(_ number: Int) -> ObjectIdentifier { ObjectIdentifier(things[number]) }

    @Test func itBehavesLikeADictionary() {
        var random = SeededRandom(for: "an identity map against its model")
        var map = IdentityMap()
        var model: [ObjectIdentifier: Int] = [:]
        for step in 0..<50_000 {
            // Few at times and many at others, so that searches pass over what was taken out.
            let key = identity(
                Int.random(in: 0..<(step % 5_000 < 2_500 ? 20 : 200), using: &random))
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50:
                map[key] = step
                model[key] = step
            case 50..<98:
                map[key] = nil
                model[key] = nil
            case 98:
                map.update { $0 + 1 }
                model = model.mapValues { $0 + 1 }
            default:
                map.filter { !$0.isMultiple(of: 3) }
                model = model.filter { !$0.value.isMultiple(of: 3) }
            }
            #expect(map.count == model.count)
            #expect(map[key] == model[key])
            guard step.isMultiple(of: 50) else { continue }
            for thing in things {
                #expect(map[ObjectIdentifier(thing)] == model[ObjectIdentifier(thing)])
            }
        }
    }

    @Test func nothingIsFoundInAnEmptyOne() {
        var map = IdentityMap()
        map[identity(0)] = nil
        #expect(map[identity(0)] == nil)
        map[identity(0)] = 1
        map[identity(0)] = nil
        #expect(map[identity(0)] == nil)
        #expect(map.count == 0)
    }
}
