internal import Glibc

/// The clock of the machine, `CLOCK_REALTIME`.
package struct SystemClock: BusClock {
    /// The clock of the machine.
    package init() {}

    /// This moment, in microseconds.
    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
