/// The phase of a connection, by the event that it waits for.
///
/// `allows(_:after:)` is the whole table of which phase may follow which.
enum ConnectionPhase: Equatable {
    /// Nothing of the next request was taken.
    case waiting(Waiting)
    /// The line and headers of a request were taken, and its body arrives.
    case receiving
    /// A request is complete, and waits for its turn or its answer.
    case handling
    /// A `DetachedSocket` whose owner waits for something to answer.
    case parked
    /// A `DetachedSocket` or `WebSocket` whose owner writes as the peer reads.
    case streaming
    /// An answer, or its rest, is to be sent.
    case writing
    /// The last answer is out. All further input of the peer is thrown away, so that the kernel
    /// does not destroy that answer.
    case lingering
    /// The descriptor is closed.
    case closed

    /// The name of the phase, for people to read.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .receiving: "receiving"
        case .handling: "handling"
        case .parked: "parked"
        case .streaming: "streaming"
        case .writing: "writing"
        case .lingering: "lingering"
        case .closed: "closed"
        }
    }

    /// Whether a phase may follow another.
    static func allows(_ next: Self, after phase: Self) -> Bool {
        switch (phase, next) {
        case (.closed, _): false
        case (_, .closed): true
        case (.waiting, .waiting), (.waiting, .receiving), (.waiting, .handling),
            (.waiting, .parked), (.waiting, .writing):
            true
        case (.receiving, .handling), (.receiving, .parked), (.receiving, .writing): true
        case (.handling, .handling), (.handling, .parked), (.handling, .writing): true
        case (.parked, .streaming), (.parked, .writing): true
        case (.streaming, .writing): true
        case (.writing, .writing), (.writing, .waiting), (.writing, .lingering): true
        default: false
        }
    }

    /// The state of a connection between two requests.
    struct Waiting: Equatable {
        /// Whether the peer has not begun its first request yet.
        var isNew = false
        /// Whether it is to be served only once the groups of its user are known.
        var isIdentifying = false
        /// Whether a piece of its next request's head was seen.
        var hasBegun = false
        /// Whether the head of its next request was seen, and its body was to come at once.
        var hasAwaitedBody = false
    }
}
