import TestSupport
import Testing

/// What `scripts/run-tests` says behind the log, with another program in the place of `swift`.
@Suite(.blocking) struct RunTestsTests {
    private let folder = TemporaryFolder()

    /// What it says when the tests print a log and end with a status, and how it ends.
    private func run(
        _ log: [String], status: Int32
    ) throws -> (said: [Substring], ending: ChildProcess.Ending) {
        let path = folder.write(log.map { $0 + "\n" }.joined(), to: "log")
        try folder.writeProgram("#!/bin/sh\ncat '\(path)'\nexit \(status)\n", to: "swift")
        let script = try ChildProcess(
            "/bin/sh", ["\(PackageFiles.root)/scripts/run-tests"],
            environment: ["PATH": "/usr/bin:/bin", "SWIFT": "\(folder.path)/swift"])
        let ending = try script.wait()
        let said = script.text(of: .output).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(said.prefix(log.count) == log.map { $0[...] }[...])
        return (Array(said.dropFirst(log.count).filter { !$0.isEmpty }), ending)
    }

    private static let skipping = [
        "➜ Suite Lonely skipped: \"only root can\"", "◇ Test fine() started.",
        "➜ Test two(a:b:) skipped: \"only \"root\" can\"", "➜ Test one() skipped.",
        "✔ Test fine() passed after 0.001 seconds.",
    ]
    private static let skipped: [Substring] = [
        "Skipped:", "Suite Lonely: only root can", "Test one() skipped.",
        "Test two(a:b:): only \"root\" can",
    ]

    @Test func testsThatWereSkippedAreListedWithTheirReasons() throws {
        let (said, ending) = try run(Self.skipping, status: 0)
        #expect(said == Self.skipped)
        #expect(ending == .exited(0))
    }

    @Test func failuresAreSaidLast() throws {
        let failure = "✘ Test broken() failed after 0.001 seconds with 1 issue."
        let (said, ending) = try run(Self.skipping + [failure], status: 1)
        #expect(said == Self.skipped + ["Failures:", failure[...]])
        #expect(ending == .exited(1))
    }

    @Test func whereAllRanAndPassedNothingIsAdded() throws {
        let (said, ending) = try run(["✔ Test fine() passed after 0.001 seconds."], status: 0)
        #expect(said == [])
        #expect(ending == .exited(0))
    }
}
