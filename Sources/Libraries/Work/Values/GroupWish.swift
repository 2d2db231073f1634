package import Topics

/// What somebody wants a group to be; what is nil is not named.
///
/// A group that is there keeps what is not named, and its selector, type, order, persistence and
/// whether it replies never change.
package struct GroupWish: Sendable {
    /// Its topics; a new group needs it.
    package var selector: Selector?
    /// The only type of events that it takes.
    package var type: String?
    /// Where a new group begins; `earliest` if not named.
    package var start: StartPosition?
    /// How long a lease lasts, in microseconds.
    package var lease: Int64?
    /// How often a job is handed out before it is a dead letter.
    package var attempts: Int?
    /// Where dead letters go.
    package var dead: DeadLetters?
    /// Whether at most one job of a key is open.
    package var isOrderedByKey: Bool?
    /// How many jobs are leased at once at most.
    package var inFlightMax: Int?
    /// Whether its workers answer requests.
    package var replies: Bool?
    /// Whether progress survives a restart.
    package var persists: Bool?

    /// Where dead letters go.
    package enum DeadLetters: Hashable, Sendable {
        /// Nowhere: jobs are tried for ever.
        case nowhere
        /// To this topic, which is not one of the group's own.
        case topic(TopicName)
    }

    /// A wish for nothing in particular.
    package init() {}

    /// A wish for a group of these topics, with the defaults.
    package init(of selector: Selector) { self.selector = selector }
}
