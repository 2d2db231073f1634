import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Topics

struct IDCeilingTests {
    /// A directory that goes with the test.
    private final class Scratch {
        let path: String

        init() throws {
            path =
                FileManager.default.temporaryDirectory
                .appendingPathComponent("belfry-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }

        var names: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        }
    }

    private static func firstID(in path: String, clock: ManualClock) throws -> EventID {
        let bench = try Bench(
            store: MemoryStore(ceiling: try IDCeiling(directory: path)), clock: clock)
        return try bench.publish("a", "x")[0]
    }

    @Test func aNewBusStartsAtTheClock() throws {
        let clock = ManualClock()
        let scratch = try Scratch()
        let id = try Self.firstID(in: scratch.path, clock: clock)
        #expect(id.rawValue == UInt64(clock.now().microseconds))
    }

    @Test func idsRiseOverRestartsEvenWithTheClockSetBack() throws {
        let scratch = try Scratch()
        let clock = ManualClock()
        var last = EventID.zero
        for _ in 0..<5 {
            let id = try Self.firstID(in: scratch.path, clock: clock)
            #expect(id > last)
            last = id
            clock.advance(seconds: -1_000)
        }
    }

    @Test func theCeilingIsOnTheDiskBeforeAnIDBelowItIsUsed() throws {
        let scratch = try Scratch()
        let ceiling = try IDCeiling(directory: scratch.path)
        let bench = try Bench(store: MemoryStore(ceiling: ceiling, idsAhead: 100))
        let payloads = Array(repeating: Payload.empty, count: 7)
        for _ in 0..<200 {
            let last = try bench.publish("a", payloads)[6]
            let text = try String(contentsOfFile: "\(scratch.path)/id-ceiling", encoding: .utf8)
            let ceiling = try #require(UInt64(text.split(separator: " ").last?.dropLast() ?? ""))
            guard last.rawValue < ceiling else {
                Issue.record("\(last) was used under the ceiling \(ceiling)")
                return
            }
        }
        #expect(scratch.names == ["id-ceiling"])
    }

    @Test(.serialized, arguments: IDCeiling.Step.allCases.indices)
    func aProcessKilledAfterAnyStepLeavesTheOldCeilingOrTheNewOne(step: Int) async throws {
        let scratch = try Scratch()
        try IDCeiling(directory: scratch.path).raise(to: 1_000)
        let handed = (
            ExitTestValue(scratch.path, named: "ceiling-folder"),
            ExitTestValue(step, named: "ceiling-step")
        )
        defer { withExtendedLifetime(handed) {} }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let path: String = ExitTestValue.taken("ceiling-folder")
            let step: Int = ExitTestValue.taken("ceiling-step")
            let ceiling = try IDCeiling(directory: path) {
                if $0 == IDCeiling.Step.allCases[step] { kill(getpid(), SIGKILL) }
            }
            try ceiling.raise(to: 2_000)
        }
        let found = try IDCeiling(directory: scratch.path)
        #expect(found.found == (step < 2 ? 1_000 : 2_000))
        try found.raise(to: 3_000)
        #expect(scratch.names == ["id-ceiling"])
    }

    @Test func leftoversOfAnEarlierDeathDoNotMatter() throws {
        let scratch = try Scratch()
        try scratch.write("belfry id ceil", to: "id-ceiling.next")
        let ceiling = try IDCeiling(directory: scratch.path)
        #expect(ceiling.found == 0)
        try ceiling.raise(to: 5)
        #expect(scratch.names == ["id-ceiling"])
    }

    @Test(arguments: [
        "", "\n", "1000\n", "belfry id ceiling 1000", "belfry id ceiling x\n",
        "belfry id ceiling -1\n", "belfry id ceiling 9007199254740992\n",
        "belfry id ceiling 1\n2\n", String(repeating: "x", count: 10_000),
    ])
    func aCeilingThatCannotBeReadIsRefusedWithAdvice(text: String) throws {
        let scratch = try Scratch()
        try scratch.write(text, to: "id-ceiling")
        let error = #expect(throws: StoreError.self) { try IDCeiling(directory: scratch.path) }
        #expect(error?.detail.contains("\(scratch.path)/id-ceiling") == true)
        #expect(error?.detail.contains("remove it") == true)
    }

    enum Irregular: CaseIterable {
        case pipe, folder, link

        func make(at path: String) {
            let made =
                switch self {
                case .pipe: mkfifo(path, 0o600)
                case .folder: mkdir(path, 0o700)
                case .link: symlink("/dev/null", path)
                }
            #expect(made == 0)
        }
    }

    @Test(arguments: Irregular.allCases)
    func whatIsNoRegularFileIsRefusedAtOnce(kind: Irregular) async throws {
        let scratch = try Scratch()
        let ceiling = "\(scratch.path)/id-ceiling"
        kind.make(at: ceiling)
        // On a thread that can be left behind: nobody opens the other end of a pipe.
        try await inParallel(1, within: .seconds(60)) { [path = scratch.path] _ in
            let error = #expect(throws: StoreError.self) { try IDCeiling(directory: path) }
            #expect(error?.detail.contains("\(ceiling) is no regular file") == true)
        }
        try FileManager.default.removeItem(atPath: ceiling)
        kind.make(at: "\(ceiling).next")
        try await inParallel(1, within: .seconds(60)) { [path = scratch.path] _ in
            let found = try IDCeiling(directory: path)
            #expect(throws: StoreError.self) { try found.raise(to: 5) }
        }
        withExtendedLifetime(scratch) {}
    }

    @Test func oneDirectoryServesOneBusAtATime() throws {
        let scratch = try Scratch()
        var first: IDCeiling? = try IDCeiling(directory: scratch.path)
        let error = #expect(throws: StoreError.self) { try IDCeiling(directory: scratch.path) }
        #expect(error?.detail.contains("in use by another bus") == true)
        withExtendedLifetime(first) {}
        first = nil
        _ = try IDCeiling(directory: scratch.path)
    }

    @Test func aDirectoryThatIsMissingIsSaidToBe() throws {
        let error = #expect(throws: StoreError.self) {
            try IDCeiling(directory: "/nowhere/belfry")
        }
        #expect(error?.detail.contains("/nowhere/belfry") == true)
        #expect(error?.detail.contains("No such file") == true)
    }

    @Test func aDiskThatRefusesFailsThePublishAndPublishingResumesByItself() throws {
        let scratch = try Scratch()
        let ceiling = try IDCeiling(directory: scratch.path)
        let bench = try Bench(store: MemoryStore(ceiling: ceiling, idsAhead: 100))
        let block = "\(scratch.path)/id-ceiling.next"
        try FileManager.default.createDirectory(atPath: block, withIntermediateDirectories: false)
        var published = 0
        let error = #expect(throws: BusError.self) {
            while published < 1_000 {
                try bench.publish("a", "1", "2", "3", "4", "5", "6", "7")
                published += 7
            }
        }
        guard case .storeFailed(let detail) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(detail.contains("id-ceiling.next"))
        #expect(bench.bus.readiness == .refusing(detail))
        #expect(bench.bus.statistics.published == published)
        #expect(bench.bus.withLog { $0.pendingBytes } == 0)
        let newest = bench.bus.newest
        try FileManager.default.removeItem(atPath: block)
        #expect(try bench.publish("a", "x")[0] > newest)
        #expect(bench.bus.readiness == .ready)
    }

    @Test func aClockFarInTheFutureIsRefused() throws {
        let clock = ManualClock(microseconds: Int64(EventID.rawMax))
        let error = #expect(throws: StoreError.self) { try Bench(clock: clock) }
        #expect(error?.detail.contains("set the clock right") == true)
    }
}
