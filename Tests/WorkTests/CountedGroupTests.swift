import Foundation
import Protection
import TestSupport
import Testing
import Topics

@testable import Work

/// What groups take with their topics, and those who wait in them: no more than is counted. Each in a
/// process of its own, whose memory nobody else changes.
@Suite(.withoutSanitizer) struct CountedGroupTests {
    /// What the process has in memory, in bytes.
    private static func resident() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ")[1]
        return (Int(pages) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Ends the process unless what groups take is counted, when they are made and when somebody waits
    /// in each.
    private static func hold(_ selector: (Int) -> String) throws {
        let bench = try WorkBench(memoryBytes: 1 << 30)
        let waiting = Protected<[WaitingWorker]>([])
        func make(_ indices: Range<Int>) throws {
            for index in indices { try bench.set("g\(index)", of: selector(index)) }
        }
        func wait(_ indices: Range<Int>) throws {
            for index in indices {
                let ask = try bench.ask(NextRequest(waits: true), of: "g\(index)")
                waiting.write { $0.append(ask.waiting) }
            }
        }
        func check(_ what: String, _ body: () throws -> Void) throws {
            let (before, counted) = (try resident(), bench.bus.memory.used)
            try body()
            let (taken, bytes) = (try resident() - before, bench.bus.memory.used - counted)
            guard taken <= bytes else {
                FileHandle.standardError.write(
                    Data("\(taken) bytes taken by \(what), \(bytes) counted\n".utf8))
                exit(1)
            }
        }
        try make(0..<20)
        try wait(0..<20)
        try check("groups that somebody waits in") {
            try make(20..<200)
            try wait(20..<200)
        }
        withExtendedLifetime((bench, waiting)) {}
    }

    @Test func groupsOfPatternsThatHaveNothingInCommonTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            try Self.hold { group in
                (0..<128).map { "one\(group)x\($0).segment\(group)y\($0).third\(group)z\($0).*" }
                    .joined(separator: ",")
            }
        }
    }

    @Test func groupsOfNamesTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            try Self.hold { group in
                (0..<128).map { "some.topic\(group).of-a-longer-name.\($0)" }.joined(separator: ",")
            }
        }
    }

    @Test func groupsOfOnePatternTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            try Self.hold { "topic\($0).*" }
        }
    }
}
