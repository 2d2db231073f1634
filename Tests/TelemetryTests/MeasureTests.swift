import Telemetry
import TestSupport
import Testing

@Suite(.blocking) struct MeasureTests {
    @Test func countersOnManyThreadsLoseNothing() throws {
        let counter = Counter()
        let gauge = Gauge()
        try inParallel(8) { index in
            for _ in 0..<5_000 {
                counter.add()
                counter.add(2)
                gauge.add(index.isMultiple(of: 2) ? 3 : -3)
            }
        }
        #expect(counter.value == 8 * 5_000 * 3)
        #expect(gauge.value == 0)
    }

    @Test func aGaugeSaysWhatItBecame() {
        let gauge = Gauge()
        #expect(gauge.add(7) == 7)
        #expect(gauge.add(-10) == -3)
        #expect(gauge.value == -3)
    }

    @Test func eachValueIsInTheBucketOfTheSmallestPowerOfTwoNotBelowIt() {
        let last = Histogram.bucketCount - 1
        var places: [(value: Int, bucket: Int)] = [
            (.min, 0), (-1, 0), (0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3),
            ((1 << last) + 1, last), (1 << 40, last), (1 << 61, last),
        ]
        for exponent in 3...last {
            let power = 1 << exponent
            places += [(power - 1, exponent), (power, exponent)]
        }
        for (value, bucket) in places {
            let histogram = Histogram()
            histogram.observe(value)
            #expect(histogram.counts.firstIndex(of: 1) == bucket, "\(value)")
            #expect(histogram.sum == max(0, value))
        }
    }

    @Test func everyObservationIsCountedOnce() {
        var random = SeededRandom(for: "observations")
        let values = (0..<1_000).map { _ in Int.random(in: 0...(1 << 34), using: &random) }
        let histogram = Histogram()
        values.forEach(histogram.observe)
        #expect(histogram.counts.count == Histogram.bucketCount)
        #expect(histogram.counts.reduce(0, +) == values.count)
        #expect(histogram.sum == values.reduce(0, +))
    }
}
