internal import Glibc

/// The clock of all deadlines.
enum MonotonicClock {
    /// Milliseconds of `CLOCK_MONOTONIC`.
    static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
