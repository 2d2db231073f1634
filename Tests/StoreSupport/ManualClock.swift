internal import Protection
package import Topics

/// A clock that only moves when told.
package final class ManualClock: BusClock {
    private let time: Protected<Timestamp>

    package init(microseconds: Int64 = 1_700_000_000_000_000) {
        time = Protected(Timestamp(microseconds: microseconds))
    }

    package func now() -> Timestamp { time.value }

    package func advance(seconds: Double) {
        advance(microseconds: Int64(seconds * 1_000_000))
    }

    package func advance(microseconds: Int64) {
        time.write { $0 = $0.advanced(microseconds: microseconds) }
    }
}
