import Testing

/// The repository checks itself for what reviews would otherwise repeat.
@Suite struct RepositoryTests {
    private let programs = Repository.sources + Repository.plugins + Repository.benchmarks
    private var everything: [SourceFile] { programs + Repository.tests }

    @Test func everyModuleHasItsRowInTheTableOfAllowedImports() {
        #expect(Repository.modules == Set(AllowedImports.table.keys))
    }

    @Test func everyImportIsAllowed() {
        #expect(programs.flatMap(AllowedImports.check) == [])
    }

    @Test func everyAllowedImportIsOfAModuleThatMayBeThere() {
        let imported = Set(AllowedImports.table.values.joined().map(\.module))
        let system: Set = [
            "Synchronization", "Dispatch", "Glibc", "Darwin", "FoundationEssentials", "Foundation",
            "PackagePlugin",
        ]
        #expect(imported.subtracting(system).isSubset(of: Repository.modules))
    }

    @Test func onlyWhatIsNotInstalledKnowsFoundation() {
        let modules = AllowedImports.table.filter {
            $0.value.contains { $0.module == "Foundation" }
        }.keys
        let notInstalled =
            Repository.benchmarks + Repository.plugins
            + Repository.sources.filter { $0.path.hasPrefix("Sources/Building/") }
        #expect(Set(modules).isSubset(of: Set(notInstalled.map(\.module))))
    }

    /// A type with the name of a system's module hides the module from a file that imports ours: a
    /// public `Observation` would let no `@Observable` compile there.
    @Test func noTwoTypesHaveOneName() {
        let system: Set = ["Swift", "Observation", "Testing"]
        let modules = Repository.modules.union(system)
            .union(AllowedImports.table.values.joined().map(\.module))
        #expect(TypeName.doubles(in: Repository.sources, modules: modules) == [])
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

    @Test func encodingsThatAreKeptFollowFromTheEventAlone() {
        #expect(Repository.sources.flatMap(Rules.moments) == [])
    }

    @Test func noBlockOfATestWaitsForTheJobsOfOthers() {
        #expect(Repository.tests.flatMap(Rules.queues) == [])
    }

    @Test func testsAreLeftOutForReasonsThatAllShare() {
        #expect(Repository.tests.flatMap(Rules.conditions) == [])
    }

    @Test func theOnlyLockIsThatOfProtection() {
        #expect(Repository.sources.flatMap(Rules.locks) == [])
    }

    @Test func noSourceFileIsTooLong() {
        #expect(programs.flatMap(Rules.length) == [])
    }

    @Test func aFolderHasAtMostFifteenFiles() {
        let folders = Dictionary(grouping: Repository.sources.filter(\.isSwift)) { file in
            file.path.split(separator: "/").dropLast().joined(separator: "/")
        }
        #expect(folders.filter { $0.value.count > 15 }.keys.sorted() == [])
    }

    @Test func nothingIsOnlyPromised() {
        #expect(everything.flatMap(Rules.promises) == [])
    }

    @Test func everyModuleWithBoundsHasItsLimits() {
        #expect(Rules.limits(in: Repository.sources) == [])
    }

    @Test func everyLimitIsRead() {
        #expect(LimitConstant.unread(in: Repository.sources) == [])
    }
}
