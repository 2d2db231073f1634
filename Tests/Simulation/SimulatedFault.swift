import Topics

/// A fault that is planted on purpose: a simulation has to find each.
package enum SimulatedFault: String, CaseIterable, Sendable {
    /// Some answers to readers lack an event.
    case dropsEvents
    /// Some answers have an event twice.
    case repeatsEvents
    /// Some answers have their events in another order.
    case reordersEvents
    /// Some gaps are not told, and the reader goes on behind them.
    case hidesGaps
    /// Some batches are published twice.
    case publishesTwice
    /// Some batches are answered as refused, and are there.
    case refusesWhatItTook
    /// The power goes, and commits that were answered were not synced.
    case answersBeforeTheSync
    /// The clock of leases is too fast.
    case leasesEndEarly
    /// Some settlements are answered, and nothing is done.
    case forgetsSettlements

    /// The answer that a reader gets in place of a read; nil where it is the same.
    func change(_ read: LogRead) -> LogRead? {
        switch (self, read) {
        case (.dropsEvents, .events(let events, let next, let isCutShort)) where events.count > 1:
            .events(Array(events.dropFirst()), next: next, isCutShort: isCutShort)
        case (.repeatsEvents, .events(let events, let next, let isCutShort)):
            .events(events + events.suffix(1), next: next, isCutShort: isCutShort)
        case (.reordersEvents, .events(let events, let next, let isCutShort)):
            .events(events.reversed(), next: next, isCutShort: isCutShort)
        case (.hidesGaps, .gap(_, let next)): .caughtUp(next: next)
        default: nil
        }
    }
}
