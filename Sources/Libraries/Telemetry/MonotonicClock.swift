internal import Glibc

/// The clock that only rises, for deadlines and for how long something takes.
package enum MonotonicClock {
    /// Microseconds of `CLOCK_MONOTONIC`.
    package static func microseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
    }

    /// Milliseconds of the same clock, unsigned as deadlines are.
    package static func milliseconds() -> UInt64 { UInt64(microseconds() / 1_000) }
}
