import Glibc
import Protection
import TestSupport
import Testing

/// A daemon that is used for long, by all kinds of clients at once, holds no more at the end than
/// once it was warm, and loses nothing.
///
/// The short form takes seconds, the long one, with `BELFRY_LONG=1`, a third of a minute;
/// `BELFRY_SOAK_MINUTES` says how long `make soak` goes on.
@Suite(.blocking) struct LongSoakTests {
    private static let minutes = getenv("BELFRY_SOAK_MINUTES").flatMap {
        Double(String(cString: $0))
    }
    private static let seconds = minutes.map { $0 * 60 } ?? (RandomRun.isLong ? 20 : 0)

    /// What an allocator keeps after a burst of answers of 400 KB, and gives back or not.
    private static let growthBytesMax = 18 << 20
    /// What is a leak and not the noise of that, if it goes on for minutes.
    private static let growthBytesPerMinuteMax = 1.0 * Double(1 << 20)

    @Test func memoryAndDescriptorsStayFlatAndNothingIsLost() throws {
        let stores = ["memory", "sqlite"]
        let reports = Protected([SoakReport]())
        try inParallel(stores.count, within: .seconds(Self.seconds + RandomRun.secondsMax)) {
            index in
            let run = SoakRun(
                store: stores[index], seconds: Self.seconds,
                publishes: RandomRun.isLong || Self.minutes != nil ? 200 : Sanitizer.isOn ? 5 : 20)
            let report = try run.run(SeededRandom(for: "soak of \(stores[index])"))
            reports.write { $0.append(report) }
        }
        for report in reports.value.sorted(by: { $0.store < $1.store }) {
            print(report.row)
            #expect(report.problems == [], "\(report.store)")
            guard !Sanitizer.isOn else { continue }
            let samples = report.samples.map { $0.residentBytes >> 10 }
            #expect(report.grownBytes < Self.growthBytesMax, "\(report.store): \(samples)")
            guard let minutes = Self.minutes, minutes >= 2 else { continue }
            #expect(
                report.grownBytesPerMinute < Self.growthBytesPerMinuteMax,
                "\(report.store): \(samples)")
        }
    }
}
