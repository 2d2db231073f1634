import TestSupport
import Testing

@testable import Work

struct GroupModelTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 16_592_621_481_749_861_511, SeededRandom.runSeed])
    func aGroupKeepsItsPromisesWhateverFails(seed: UInt64) throws {
        for life in 0..<2 {
            var world = try GroupWorld(seed: seed &+ UInt64(life) &* 1_000)
            let broken = try world.run(steps: 600)
            #expect(broken == nil, "seed \(seed), life \(life)")
            if broken != nil { return }
        }
    }

    @Test(arguments: [1, 2, 3, 4, SeededRandom.runSeed])
    func twoGroupsThatAreToldTheSameDecideAlike(seed: UInt64) throws {
        for life in 0..<4 {
            var world = try GroupWorld(seed: seed &+ UInt64(life) &* 1_000, isDoubled: true)
            let broken = try world.run(steps: 300)
            #expect(broken == nil, "seed \(seed), life \(life)")
        }
    }

    @Test(arguments: GroupWorld.Fault.allCases)
    func aGroupBrokenOnPurposeIsFound(fault: GroupWorld.Fault) throws {
        let isFound = try (0..<200).contains { life in
            var world = try GroupWorld(seed: UInt64(life), fault: fault)
            return try world.run(steps: 250) != nil
        }
        #expect(isFound)
    }
}
