import Dispatch
import Protection
import TestSupport
import Testing

/// A block that could only wait for itself is told so, and the process stops.
@Suite(.blocking) struct OnceMisuseTests {
    private static let sentence = "a block that is to run once waits for its own end"

    @Test func comingBackToItsOwnOnceStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let once = Once()
            once.run { once.run {} }
        }
        #expect(told(by: result).contains(Self.sentence))
    }

    @Test func comingBackToItsOwnTokenThroughAnotherStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            DispatchQueue.once(token: "a") {
                DispatchQueue.once(token: "b") {
                    DispatchQueue.once(token: "a") {}
                }
            }
        }
        #expect(told(by: result).contains(Self.sentence))
    }

    @Test func comingBackToItsOwnPlaceStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            func place() { DispatchQueue.once { place() } }
            place()
        }
        #expect(told(by: result).contains(Self.sentence))
    }

    @Test(.serialized, arguments: [2, 3, 8])
    func threadsThatWaitForEachOtherInARingStopWithASentence(threads: Int) async {
        let handed = ExitTestValue(threads, named: "ring")
        defer { withExtendedLifetime(handed) {} }
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let threads: Int = ExitTestValue.taken("ring")
            let ring = (0..<threads).map { _ in Once() }
            let areInside = Gate(openings: threads)
            try inParallel(threads) { index in
                try ring[index].run {
                    areInside.open()
                    try areInside.wait()
                    ring[(index + 1) % threads].run {}
                }
            }
        }
        #expect(told(by: result).contains(Self.sentence))
    }

    private func told(by result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}
