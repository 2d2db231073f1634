import Protection
import Telemetry
import TestSupport
import Testing

@testable import BelfryDaemon
@testable import HTTPFront

/// The writer of the access log, without a server.
@Suite(.blocking) struct AccessLogTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/access.log" }
    private let silent = Log(level: .error) { _, _ in }

    private func record(_ path: String) -> AccessRecord {
        AccessRecord(method: "GET", path: path, peer: Peer(transport: .unix, uid: 7))
    }

    private func lines(_ path: String) -> [String] {
        folder.text(of: path).split(separator: "\n").map(String.init)
    }

    @Test func aLineSaysWhatThereIsToSay() throws {
        var full = AccessRecord(
            method: "GET", path: "/topics/\"x\"\n",
            peer: Peer(transport: .unix, uid: 7, pid: 42))
        full.status = 404
        full.problemCode = "TOPIC_UNKNOWN"
        full.form = "raw"
        full.bytesIn = 1
        full.bytesOut = 2
        full.microseconds = 3
        let text = AccessLine.text(of: full, at: .init(microseconds: 1_700_000_000_000_001))
        #expect(
            text == """
                {"time":"2023-11-14T22:13:20.000001Z","method":"GET",\
                "path":"/topics/\\"x\\"\\n","status":404,"code":"TOPIC_UNKNOWN","form":"raw",\
                "bytes_in":1,"bytes_out":2,"uid":7,"pid":42,"us":3}
                """)
        let least = AccessRecord(method: "GET", path: "/", peer: Peer(transport: .unix))
        #expect(
            AccessLine.text(of: least, at: .init(microseconds: 0)) == """
                {"time":"1970-01-01T00:00:00.000000Z","method":"GET","path":"/",\
                "bytes_in":0,"bytes_out":0,"us":0}
                """)
    }

    @Test func whatComesTooFastIsDroppedCountedAndTold() throws {
        let log = AccessLog(log: silent)
        try log.use(.file(path))
        // No writer runs: what waits is written by hand.
        log.stop()
        let long = "/" + String(repeating: "x", count: 1 << 20)
        for _ in 0..<20 { log.ended(record(long)) }
        log.flush()
        let first = lines(path)
        #expect(first.count == 8)
        #expect(first.last?.hasSuffix("\"dropped\":13}") == true)
        #expect(log.dropped.value == 13)
        log.ended(record("/after"))
        log.flush()
        #expect(lines(path).last?.contains("\"path\":\"/after\"") == true)
    }

    @Test func aFileThatWasMovedAwayIsLeftAloneAfterwards() throws {
        let log = AccessLog(log: silent)
        try log.use(.file(path))
        log.ended(record("/one"))
        log.flush()
        folder.rename("access.log", to: "access.log.1")
        log.ended(record("/two"))
        try log.use(.file(path))
        log.ended(record("/three"))
        log.stop()
        #expect(lines("\(path).1").map { $0.contains("/three") } == [false, false])
        #expect(lines(path).map { $0.contains("/three") } == [true])
    }

    @Test func whatCannotBeWrittenIsCountedAndSaidOnce() throws {
        let said = Protected<[String]>([])
        let log = AccessLog(log: Log(level: .warning) { _, text in said.write { $0.append(text) } })
        try log.use(.file("/dev/full"))
        for _ in 0..<3 {
            log.ended(record("/"))
            log.flush()
        }
        log.stop()
        #expect(log.dropped.value == 3)
        #expect(said.value == ["the access log /dev/full cannot be written"])
    }

    @Test func aFileThatCannotBeOpenedChangesNothing() throws {
        let log = AccessLog(log: silent)
        try log.use(.file(path))
        #expect {
            try log.use(.file("\(folder.path)/missing/access.log"))
        } throws: { error in
            "\(error)".contains("daemon.access_log")
        }
        log.ended(record("/still"))
        log.stop()
        #expect(lines(path).count == 1)
    }
}
