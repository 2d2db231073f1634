import StoreSupport

/// A fault that is planted on purpose: a simulation has to find each.
package enum SimulatedFault: String, CaseIterable, PlantedFault, Sendable {
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
    /// Some repeats are published as if they had no key.
    case ignoresKeys
    /// Some batches are answered as refused, and are there.
    case refusesWhatItTook
    /// The power goes, and commits that were answered were not synced.
    case answersBeforeTheSync
    /// The clock of leases is too fast.
    case leasesEndEarly
    /// Some settlements are answered, and nothing is done.
    case forgetsSettlements
    /// Some readers that wait are not told of an event.
    case missesWakeUps
    /// Some events are answered as held, and are forgotten.
    case losesHeld
    /// Some events that are to be held are published at once.
    case releasesEarly
    /// Some cancellations are answered, and nothing is done.
    case cancelsNothing
    /// Some schedules are there twice.
    case ticksTwice
    /// A start forgets that the bus has said that a topic is silent.
    case silencesTwice
    /// Topics are expected to have events in half the time.
    case silencesEarly
    /// Topics are expected to have events in twice the time.
    case silencesLate
    /// Topics have events again, and the bus forgets to say so.
    case forgetsBack
    /// Some batches are published whether their condition holds or not.
    case ignoresConditions
    /// Conditions are decided when a writer asks, before the batch has its place.
    case judgesConditionsEarly

    /// The fault of answers to readers; nil for others.
    var read: ReadFault? { ReadFault(rawValue: rawValue) }
}
