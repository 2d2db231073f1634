import Glibc
import TestSupport
import Testing

/// What the bus is for, on a real log of this machine: one publishes with curl, others follow in
/// every form.
@Suite(.blocking) struct MainJobTests {
    private static let linesPerBatch = 1_000
    private static let singles = 500
    private static let curledEvents = 300

    @Test func everySubscriberGetsEveryLineOnceInOrderByteForByte() throws {
        let log = try RealLog()
        let job = Self.job(log.lines)
        let expected = job.flatMap(\.self)
        let daemon = try RunningDaemon()
        let topic = Subscription(daemon, topic: "machine.log")
        let start = try topic.newest()
        let streams = SubscriberForm.streams
        try inParallel(4 + streams.count) { part in
            switch part {
            case 0:
                for lines in job { try topic.publish(lines) }
            case 1:
                let folder = TemporaryFolder()
                var (received, cursor) = try topic.followByShell(
                    after: start, events: Self.curledEvents, into: folder)
                received += try topic.followRaw(
                    after: &cursor, until: expected.count - received.count)
                Self.compare(received, expected, "raw, from \(log.source)")
            case 2:
                Self.compare(
                    try topic.followJSON(after: start, until: expected.count), expected, "JSON")
            case 3:
                Self.compare(
                    try topic.followDying(after: start, until: expected.count), expected, "killed")
            default:
                let form = streams[part - 4]
                Self.compare(
                    try topic.followStream(form, after: start, until: expected.count),
                    expected.map { Array(String(decoding: $0, as: UTF8.self).utf8) }, "\(form)")
            }
        }
        #expect(try daemon.terminate() == .exited(0))
    }

    /// Batches, and between them lines that are published alone.
    private static func job(_ lines: [[UInt8]]) -> [[[UInt8]]] {
        let batches = stride(from: 0, to: lines.count, by: linesPerBatch).map {
            Array(lines[$0..<min($0 + linesPerBatch, lines.count)])
        }
        let share = (singles + batches.count - 1) / batches.count
        return batches.flatMap { batch in [batch] + batch.prefix(share).map { [$0] } }
    }

    /// Says where the first difference is, instead of printing thousands of lines.
    private static func compare(_ received: [[UInt8]], _ expected: [[UInt8]], _ form: String) {
        let index = zip(received, expected).enumerated().first { $1.0 != $1.1 }?.offset
        guard let index else {
            #expect(received.count == expected.count, "\(form)")
            return
        }
        let got = String(decoding: received[index], as: UTF8.self)
        let wanted = String(decoding: expected[index], as: UTF8.self)
        Issue.record("\(form): event \(index) is `\(got)` instead of `\(wanted)`")
    }
}
