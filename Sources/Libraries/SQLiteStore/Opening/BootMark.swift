internal import Topics

/// The boot of the machine that a life is in, and the moment from which older spans go on in it.
///
/// A job's row has the number of the boot under which it was written. Under the same boot its span
/// ends by the boot's clock, even if the other clock was set. A span of an earlier boot begins with
/// the first life under this boot. Further lives under it do not begin the span again, so it ends.
struct BootMark: Equatable {
    /// The boot; empty where none is known.
    var id = ""
    /// Counts the boots that lives were in; rows have it in place of the id.
    var number: Int64 = 0
    /// When the first life under this boot began, in microseconds of the ``BootClock``.
    var began: Int64 = 0
    /// The time at that moment.
    var time = Timestamp(microseconds: 0)

    /// The columns of a job's row that describe its span.
    struct Row {
        /// The number of the boot that it was written under.
        let boot: Int64?
        /// When the span is over by the clock of that boot.
        let until: Int64?
        /// When it was to be over; nil for a lease, which no time ends.
        let time: Timestamp?
        /// How long it was to be, in microseconds.
        let span: Int64
    }

    /// The mark of a life that begins now.
    func following(_ clock: BootClock, now: Timestamp) -> BootMark {
        guard clock.boot.isEmpty || clock.boot != id else { return self }
        return BootMark(id: clock.boot, number: number + 1, began: clock.now(), time: now)
    }

    /// When the span of a row is over by the clock of this boot.
    ///
    /// Over a boot a lease has its full time anew, since nobody knows how long the machine was off.
    /// A delay ends at its time, but is no longer than it was to be: the time may have been set
    /// back.
    func end(of row: Row) -> Int64 {
        if let until = row.until, row.boot == number { return until }
        let left = row.time.map { $0.microseconds - time.microseconds } ?? row.span
        return began + min(max(0, left), row.span)
    }
}
