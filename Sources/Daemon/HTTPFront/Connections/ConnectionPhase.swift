/// Who holds a connection's socket, and what it waits for.
///
/// `allows(_:after:)` is the whole table of which phase may follow which.
enum ConnectionPhase: Equatable {
    /// We do: nothing of the next request was read.
    case waiting(Waiting)
    /// libmicrohttpd does, and closes it.
    case parsing(Parsing)
    /// We do: a request that was not parsed was handled, and its answer comes later.
    case handling
    /// We do: a `DetachedSocket` whose owner waits for something to answer.
    case parked
    /// We do: a `DetachedSocket` or `WebSocket` whose owner writes as the peer reads.
    case streaming
    /// We do: an answer, or its rest, is to be sent.
    case writing
    /// We do: the last answer is out. What the peer still sends is thrown away, so that the
    /// kernel does not destroy that answer.
    case lingering
    /// Nobody.
    case closed

    /// A word for people.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .parsing: "parsing"
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
        case (.waiting, .waiting), (.waiting, .parsing), (.waiting, .handling), (.waiting, .parked),
            (.waiting, .writing):
            true
        case (.parsing, .parsing), (.parsing, .parked), (.parsing, .writing): true
        case (.handling, .writing): true
        case (.parked, .streaming), (.parked, .writing): true
        case (.streaming, .writing): true
        case (.writing, .writing), (.writing, .waiting), (.writing, .lingering): true
        default: false
        }
    }

    /// What belongs to a connection between two requests.
    struct Waiting: Equatable {
        /// Whether the peer has not begun its first request yet.
        var isNew = false
        /// Whether it is to be served only once the groups of its user are known.
        var isIdentifying = false
        /// Whether the head of its next request was seen, and its body was to come at once.
        var hasAwaitedBody = false
    }

    /// What belongs to a connection in the parser.
    struct Parsing: Equatable {
        /// Whether the parser has had no complete request yet since the socket was given to it.
        var isFirst = true
        /// Whether the parser is about to be told that the peer sends no more, or was since its
        /// last request.
        var isEndNoted = false
        /// Whether the parser is about to close it on our word.
        var isCutOff = false
    }
}
