internal import Topics

/// The start of the machine that a life is in, and where spans of earlier ones go on in it.
///
/// A job's row says by number under which boot it was written. Under the same one its span ends by the
/// boot's clock, whatever the other clock says. Spans of an earlier boot begin with the first life under
/// this one, and not with each further life: however often that is begun anew, they end.
struct BootMark: Equatable {
    /// The boot; empty where none is known.
    var id = ""
    /// Counts the boots that lives were in; rows have it in place of the id.
    var number: Int64 = 0
    /// When the first life under this boot began, in microseconds of the ``BootClock``.
    var began: Int64 = 0
    /// The time at that moment.
    var time = Timestamp(microseconds: 0)

    /// What the row of a job says of its span.
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
    /// Over a boot a lease has its full time anew, since nobody knows how long the machine was off. A
    /// delay ends at its time, but is no longer than it was to be: the time may have been set back.
    func end(of row: Row) -> Int64 {
        if let until = row.until, row.boot == number { return until }
        let left = row.time.map { $0.microseconds - time.microseconds } ?? row.span
        return began + min(max(0, left), row.span)
    }
}
