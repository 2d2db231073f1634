import Testing

/// The repository checks itself for what reviews would otherwise repeat.
@Suite struct RepositoryTests {
    private let everything = Repository.sources + Repository.tests + Repository.benchmarks

    @Test func theFilesAreFound() {
        #expect(Repository.rooms.isSuperset(of: ["Protection", "CLinux", "belfryd"]))
        #expect(Repository.sources.contains { $0.path == "Sources/Protection/Protected.swift" })
        #expect(
            Repository.tests.contains { $0.path == "Tests/StructureTests/RepositoryTests.swift" })
        #expect(Repository.benchmarks.contains { $0.path == "Benchmarks/Core/BenchCore.swift" })
    }

    @Test func everyRoomHasItsRowInTheTableOfDoors() {
        #expect(Repository.rooms == Set(Doors.table.keys))
    }

    @Test func everyImportHasItsDoor() {
        #expect((Repository.sources + Repository.benchmarks).flatMap(Doors.check) == [])
    }

    @Test func everyDoorIsToAModuleThatMayBeThere() {
        let doors = Set(Doors.table.values.joined().map(\.module))
        let system: Set = [
            "Synchronization", "Dispatch", "Glibc", "Darwin", "FoundationEssentials", "Foundation",
        ]
        #expect(doors.subtracting(system).isSubset(of: Repository.rooms))
    }

    @Test func onlyBenchmarksKnowFoundation() {
        let rooms = Doors.table.filter { $0.value.contains { $0.module == "Foundation" } }.keys
        #expect(Set(rooms).isSubset(of: Set(Repository.benchmarks.map(\.room))))
    }

    @Test func noTwoTypesHaveOneName() {
        #expect(TypeName.doubles(in: Repository.sources, modules: Repository.rooms) == [])
    }

    @Test func whatEscapesTheCompilerHasItsReason() {
        #expect(everything.flatMap(Rules.reasons) == [])
    }

    @Test func noTestSleeps() {
        #expect(Repository.tests.flatMap(Rules.sleeps) == [])
    }

    @Test func testsThatBlockDoSoOnThreadsOfTheirOwn() {
        #expect(Repository.tests.flatMap(Rules.blocking) == [])
    }

    @Test func theOnlyLockIsThatOfProtection() {
        #expect(Repository.sources.flatMap(Rules.locks) == [])
    }

    @Test func noSourceFileIsTooLong() {
        #expect((Repository.sources + Repository.benchmarks).flatMap(Rules.length) == [])
    }

    @Test func nothingIsOnlyPromised() {
        #expect(everything.flatMap(Rules.promises) == [])
    }

    @Test func everyRoomWithBoundsHasItsLimits() {
        #expect(Rules.limits(in: Repository.sources) == [])
    }
}
