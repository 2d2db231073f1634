import StoreSupport

/// A fault that is planted on purpose in a bus of several hosts: a simulation has to find each.
package enum HostsFault: String, CaseIterable, PlantedFault, Sendable {
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
    /// Some repeats are published as if they had no key.
    case ignoresKeys
    /// Some settlements are answered, and nothing is done.
    case forgetsSettlements
    /// Some readers that wait are not told of an event.
    case missesWakeUps
    /// One host decides ages by its own clock.
    case decidesByItsClock
    /// One host decides by a limit of its own.
    case decidesByItsLimit
    /// One host applies the entries of a group in another order, as a dictionary may have it.
    case decidesByADictionary
    /// One host decides jobs by its own clock.
    case decidesJobsByItsClock
    /// One host decides jobs by a limit of its own.
    case decidesJobsByItsLimit
    /// One host does not see some requests to work groups.
    case missesRequests
    /// The clock by which one host says that leases have passed is too fast.
    case leasesEndEarly
    /// One host does not see some groups.
    case missesAGroup
    /// Some batches are answered before they have a place in the order, with the one that they would probably get.
    case answersBeforeItsEntry
    /// The order shows appends that a server which takes over does not have.
    case showsBeforeTheBarrier
    /// Some events are answered as held, and are forgotten.
    case losesHeld
    /// Some events that are to be held are published at once.
    case releasesEarly
    /// Some cancellations are answered, and nothing is done.
    case cancelsNothing
    /// Some schedules are there twice.
    case ticksTwice
    /// The quiet topic is expected to have events in less time.
    case silencesEarly
    /// A topic has events again, and the bus forgets to say so.
    case forgetsBack
    /// One host does not know that topics are expected to have events.
    case missesExpectations
    /// A host fills in the settings that a request does not name before the request has its place.
    case decidesSettingsEarly
    /// No host makes appends because something is due.
    case makesNoTicks
    /// Some batches are published whether their condition holds or not.
    case ignoresConditions
    /// Conditions are decided by the host that a writer asks, before the batch has its place.
    case judgesConditionsEarly

    /// The fault of answers to readers; nil for others.
    var read: ReadFault? { ReadFault(rawValue: rawValue) }
}
