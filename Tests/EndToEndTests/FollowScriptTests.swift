import Glibc
import TestSupport
import Testing

/// The script `follow`, as the recipes have their reader save it: what it promises besides what their
/// blocks show.
@Suite(.blocking) struct FollowScriptTests {
    private let session: DocumentedSession

    init() throws {
        session = try DocumentedSession(
            scripts: ShellExample.files(in: try PackageFiles.text("docs/recipes.md")),
            reachedBySocket: true)
    }

    @Test func aFirstStartBeginsWithTheNextEventAndARestartMissesNothing() throws {
        try publish("before")
        let first = try follow("grep -v stop")
        try waitForPlace()
        try publish("one")
        try publish("stop")
        #expect(try first.wait() == .exited(1))
        #expect(first.text(of: .output) == "one\n")
        try publish("two")
        try publish("three")
        #expect(try output("grep -v two") == "stop\n")
        #expect(try output("grep -v three") == "two\n")
    }

    @Test func aFailedCommandLeavesThePlaceAndItsStatus() throws {
        try publish("one")
        try place(at: "0")
        let failing = try follow("sh -c 'exit 7'")
        #expect(try failing.wait() == .exited(7))
        #expect(session.text(of: "job.cursor") == "0\n")
    }

    @Test func aRequestThatIsRefusedStopsItWithTheReason() throws {
        try place(at: "xyz")
        let refused = try follow("cat")
        #expect(try refused.wait() == .exited(1))
        #expect(refused.text(of: .output) == "")
        #expect(refused.text(of: .errors).contains(#""code":"CURSOR_INVALID""#))
        #expect(session.text(of: "job.cursor") == "xyz\n")
    }

    @Test func eventsThatAreGoneStopItInsteadOfBeingPassedOver() throws {
        let kept = try ask("-X PUT 'localhost:7464/topics/deploys?keep=1'")
        #expect(kept.contains(#""keep":1"#))
        try publish("one")
        // The answer begins with {"id":"…".
        try place(at: try #require(published("two").split(separator: "\"").dropFirst(3).first))
        try publish("three")
        try publish("four")
        let late = try follow("cat")
        #expect(try late.wait() == .exited(1))
        #expect(late.text(of: .output) == "")
        #expect(late.text(of: .errors).contains(#""code":"EVENTS_GONE""#))
    }

    @Test func anEmptyEventIsGivenAsNothing() throws {
        try session.save(
            "#!/bin/sh\nevent=$(cat)\necho \"<$event>\"\n[ \"$event\" != stop ]\n", as: "show")
        for event in ["one", "", "stop"] { try publish(event) }
        try place(at: "0")
        #expect(try output("./show") == "<one>\n<>\n<stop>\n")
    }

    @Test func aRestartOfTheBusIsWaitedFor() throws {
        let waiting = try follow("grep -v stop")
        try waitForPlace()
        try session.restartBus()
        try publish("one")
        try publish("stop")
        #expect(try waiting.wait() == .exited(1))
        #expect(waiting.text(of: .output) == "one\n")
    }

    private func follow(_ command: String) throws -> ChildProcess {
        try session.shell("exec ./follow job deploys \(command)")
    }

    /// What a run prints whose command fails at the last event.
    private func output(_ command: String) throws -> String {
        let run = try follow(command)
        #expect(try run.wait() == .exited(1))
        #expect(run.text(of: .errors) == "")
        return run.text(of: .output)
    }

    private func ask(_ request: String) throws -> String {
        let curl = try session.shell("curl -sS --fail-with-body \(request)")
        #expect(try curl.wait() == .exited(0))
        #expect(curl.text(of: .errors) == "")
        return curl.text(of: .output)
    }

    private func published(_ event: String) throws -> String {
        try ask("-d '\(event)' localhost:7464/topics/deploys")
    }

    private func publish(_ event: String) throws { _ = try published(event) }

    private func place(at cursor: some StringProtocol) throws {
        #expect(try session.shell("echo '\(cursor)' >job.cursor").wait() == .exited(0))
    }

    /// Waits until the script has kept a place, behind which nothing is missed.
    private func waitForPlace() throws {
        let due = time(nil) + 60
        while session.text(of: "job.cursor").isEmpty {
            try #require(time(nil) < due, "no place was kept in a minute")
            poll(nil, 0, 3)
        }
    }
}
