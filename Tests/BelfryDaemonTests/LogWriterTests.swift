import Glibc
import Protection
import Telemetry
import TestSupport
import Testing

@testable import BelfryDaemon

/// Lines on their way to a log that takes nothing for a while.
@Suite(.blocking) struct LogWriterTests {
    private func queue(_ bytesMax: Int = 8, isLeftToTender: Bool = false) -> LineQueue {
        LineQueue(bytesMax: bytesMax, isLeftToTender: isLeftToTender)
    }

    private func text(_ bytes: [UInt8]?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aLineOfWhichAPartIsWrittenIsCompletedBeforeTheNext() {
        var queue = queue()
        #expect(queue.add("abc\n") == 0)
        #expect(text(queue.takeInPassing(atMost: 99)) == "abc\n")
        #expect(queue.add("d\n") == 0)
        #expect(queue.takeInPassing(atMost: 99) == nil)
        #expect(queue.wrote(1, isBlocked: false) == 0)
        #expect(text(queue.takeInPassing(atMost: 99)) == "bc\nd\n")
    }

    @Test func linesBeyondTheBoundAreLostUntilHalfOfItIsFreeAndThenTold() {
        var queue = queue()
        #expect(queue.add("abc\n") == 0)
        #expect(queue.add("def\n") == 0)
        #expect(queue.add("g\n") == 1)
        #expect(queue.take(atMost: 2) != nil)
        #expect(queue.wrote(2, isBlocked: false) == 0)
        #expect(!queue.hasRoom)
        #expect(queue.add("h\ni\n") == 2)
        #expect(queue.take(atMost: 2) != nil)
        #expect(queue.wrote(2, isBlocked: false) == 3)
        #expect(queue.hasRoom)
        #expect(queue.add("j\n") == 0)
    }

    @Test func aLineAboveTheBoundGoesIntoAnEmptyQueue() {
        var queue = queue()
        #expect(queue.add("0123456789\n") == 0)
        #expect(queue.add("a\n") == 1)
    }

    @Test func whoeverLogsWritesNothingWhileOthersTendOrNothingGoesIn() {
        var queue = queue()
        _ = queue.add("abc\n")
        #expect(queue.takeInPassing(atMost: 99) != nil)
        #expect(queue.needsTender() == false)
        #expect(queue.wrote(0, isBlocked: true) == 0)
        #expect(queue.takeInPassing(atMost: 99) == nil)
        #expect(queue.needsTender() == true)
        #expect(queue.needsTender() == false)
        #expect(queue.take(atMost: 99) != nil)
        #expect(queue.wrote(4, isBlocked: false) == 0)
        #expect(queue.take(atMost: 99) == nil)
        _ = queue.add("def\n")
        #expect(queue.takeInPassing(atMost: 99) != nil)
    }

    @Test func whereAWriteMayWaitOnlyTheTenderWrites() {
        var queue = queue(isLeftToTender: true)
        _ = queue.add("abc\n")
        #expect(queue.takeInPassing(atMost: 99) == nil)
        #expect(queue.needsTender() == true)
        #expect(queue.take(atMost: 99) != nil)
        #expect(queue.wrote(2, isBlocked: false) == 0)
        #expect(queue.takeInPassing(atMost: 99) == nil)
    }

    @Test func whatIsGivenUpUnderAWriteIsGone() {
        var queue = queue()
        _ = queue.add("a\nb\n")
        #expect(queue.take(atMost: 99) != nil)
        #expect(text(queue.abandon()) == "a\nb\n")
        #expect(queue.wrote(4, isBlocked: false) == 0)
        #expect(queue.isEmpty)
    }

    @Test(arguments: UnreadOutput.Kind.allCases)
    func linesThatNobodyTakesAreDroppedCountedAndToldInTheirPlace(
        kind: UnreadOutput.Kind
    ) throws {
        let output = UnreadOutput(kind)
        let writer = LogWriter(to: output.theirs) { level, text in
            Log.plainLine(level, "\(level) \(text)")
        }
        try writer.start()
        let line = String(repeating: "x", count: 1_000)
        for index in 0..<2_000 { writer.log.notice("\(index) \(line)") }
        let dropped = writer.log.dropped.value
        #expect(dropped > 0 && dropped < 2_000)
        #expect(!writer.log.hasRoom)
        let told = "warning \(dropped) lines of the log are missing here"
        let text = try output.read(until: told)
        writer.log.notice("last")
        let all = text + (text.contains("notice last") ? "" : try output.read(until: "notice last"))
        writer.finish()
        let lines = all.split(whereSeparator: \.isNewline)
        let numbers = lines.filter { $0.hasSuffix("x") }.map { Int($0.split(separator: " ")[1]) }
        #expect(numbers == Array(0..<(2_000 - dropped)))
        #expect(lines.suffix(2).first?.hasPrefix(told) == true)
        #expect(lines.last == "notice last")
        #expect(writer.log.dropped.value == dropped)
        #expect(output.blocks)
    }

    @Test func aFileTakesEveryLineAtOnce() throws {
        let folder = TemporaryFolder()
        let path = folder.write("before\n", to: "log")
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(file) }
        // Its thread never starts.
        let writer = LogWriter(to: file, form: Log.plainLine)
        for index in 0..<3_000 { writer.log.notice("\(index)") }
        #expect(
            folder.text(of: path)
                == "before\n" + (0..<3_000).map { "\($0)\n" }.joined())
        #expect(writer.log.dropped.value == 0)
    }
}
