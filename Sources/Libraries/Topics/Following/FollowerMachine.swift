/// The state of one subscription: its position, the events that it has not delivered yet, and the
/// call that waits for it.
///
/// A machine without lock, clock or waiting: each verb returns the step that ``Follower`` has to
/// take, or the call that it has to resume, once the lock is dropped.
struct FollowerMachine {
    typealias Waiter = CheckedContinuation<Void, Never>

    /// The step that a call of `next` takes now.
    enum Step {
        case deliver(Delivery)
        case end
        case fail(BusError)
        /// Read the log from here, then ``took(_:)``.
        case read(LogPosition)
        /// Ask the store from here, waiting with ``fetch(_:)``.
        case fetch(LogPosition)
        /// Wait with ``wait(_:)``.
        case wait
        /// Another call is under way.
        case misuse
    }

    /// The call of `next` that is under way.
    private enum PendingCall {
        case none
        /// It reads, or is about to look again.
        case busy
        /// It has seen everything and waits, or is about to.
        case waiting(Waiter?)
        case fetching(Waiter)
    }

    /// Why it will end once everything before was delivered.
    private enum Ending {
        /// Its topic was deleted at a place in the order, when it had lost everything up to `discardedThrough`.
        case removal(at: EventID, discardedThrough: EventID)
        case drain
    }

    /// The newest id when it was made.
    private let madeAt: EventID
    /// The same, or a later id to which it had everything when it began. A removal of its topic up
    /// to there does not concern it.
    private var beganAt: EventID
    private var position = LogPosition(after: .zero)
    /// Events that were read and not delivered, the next one last.
    private var events: [Event] = []
    private var gap: Gap?
    /// The cursor while such events, or the gap, are left.
    private var delivered = EventID.zero
    /// Whether there may be something behind the position.
    private var isBehind = false
    /// Whether only the store has the next events.
    private var isOlder = false
    private var failure: BusError?
    private var ending: Ending?
    private var call = PendingCall.none
    /// The last cursor, once it has ended.
    private var endedAt: EventID?
    private var isCounted = true

    init(beganAt: EventID) {
        madeAt = beganAt
        self.beganAt = beganAt
    }

    /// Takes the first read, which found where to begin.
    mutating func begin(_ read: LogRead) {
        load(read)
        switch read {
        case .events(let events, _, _): delivered = events[0].id.predecessor
        case .gap(let gap, _): delivered = gap.after
        case .caughtUp(let next), .older(let next):
            if next.isResolved { beganAt = max(beganAt, next.after) }
        }
    }

    // MARK: A call of next

    /// A call begins.
    mutating func next() -> Step {
        guard endedAt == nil else { return .end }
        guard case .none = call else { return .misuse }
        return goOn()
    }

    /// The call that is under way looks again.
    mutating func goOn() -> Step {
        guard endedAt == nil else { return .end }
        call = .none
        if let told = gap.take() { return .deliver(.gap(told)) }
        if let step = nextEvent() ?? nextEnding() { return step }
        guard isBehind else {
            call = .waiting(nil)
            return .wait
        }
        call = .busy
        isBehind = false
        return isOlder ? .fetch(position) : .read(position)
    }

    private mutating func nextEvent() -> Step? {
        guard let event = events.last else { return nil }
        // A topic of the same name that was made later is another one.
        if case .removal(let place, _) = ending, event.id > place { return nil }
        events.removeLast()
        delivered = event.id
        // An array that is emptied keeps its memory, and many subscriptions wait.
        if events.isEmpty { events = [] }
        return .deliver(.event(event))
    }

    private mutating func nextEnding() -> Step? {
        switch ending {
        case .removal(let place, let discardedThrough):
            let cursor = position.cursor
            if cursor < discardedThrough, position.reportedThrough < discardedThrough {
                position.reportedThrough = discardedThrough
                return .deliver(.gap(Gap(after: cursor, through: discardedThrough)))
            }
            endedAt = place
            return .end
        case .drain where !isBehind && failure == nil:
            endedAt = position.cursor
            return .end
        case .drain, nil:
            guard let failure else { return nil }
            endedAt = position.cursor
            return .fail(failure)
        }
    }

    /// Takes the answer of the log.
    mutating func took(_ read: LogRead) -> Step {
        load(read)
        return goOn()
    }

    /// Lets the call wait until something happens. Returns false if something has.
    mutating func wait(_ waiter: Waiter) -> Bool {
        if case .removal = ending { return false }
        guard endedAt == nil, !isBehind else { return false }
        call = .waiting(waiter)
        return true
    }

    /// Lets the call wait for the store. Returns false if it is not to be asked any more.
    mutating func fetch(_ waiter: Waiter) -> Bool {
        guard endedAt == nil else { return false }
        call = .fetching(waiter)
        return true
    }

    /// Takes the answer of the store. Returns the call that waits for it; nil if that has ended.
    mutating func fetched(_ outcome: Result<LogRead, BusError>) -> Waiter? {
        guard case .fetching(let waiter) = call else { return nil }
        call = .busy
        switch outcome {
        case .success(let read): load(read)
        case .failure(let error): failure = error
        }
        return waiter
    }

    private mutating func load(_ read: LogRead) {
        guard endedAt == nil else { return }
        delivered = position.cursor
        isOlder = false
        switch read {
        case .events(let read, let next, let isCutShort):
            position = next
            events = read.reversed()
            if isCutShort { isBehind = true }
        case .caughtUp(let next):
            position = next
        case .gap(let told, let next):
            position = next
            gap = told
            isBehind = true
            // A cursor of another life says nothing of this one.
            if told.through < told.after { beganAt = madeAt }
        case .older(let next):
            position = next
            isOlder = true
            isBehind = true
        }
    }

    // MARK: Notifications

    /// Notes that something was admitted that concerns it. Since `seen` nothing else was that does.
    mutating func admitted(after seen: EventID) -> Waiter? {
        guard endedAt == nil else { return nil }
        rise(to: seen)
        isBehind = true
        return takeWaiting()
    }

    /// Notes that its topic was deleted at `place`, when it had lost everything up to
    /// `discardedThrough`. Nothing that concerns it was admitted since `seen`.
    mutating func removed(at place: EventID, discardedThrough: EventID, after seen: EventID)
        -> Waiter?
    {
        guard endedAt == nil, beganAt < place else { return nil }
        if case .removal = ending { return nil }
        rise(to: seen)
        ending = .removal(at: place, discardedThrough: discardedThrough)
        return takeWaiting()
    }

    /// Has it end behind all visible events. Nothing that concerns it was admitted since `seen`.
    mutating func drain(after seen: EventID) -> Waiter? {
        guard endedAt == nil, ending == nil else { return nil }
        rise(to: seen)
        ending = .drain
        isBehind = true
        return takeWaiting()
    }

    /// Ends it at once. Nothing that concerns it was admitted since `seen`. Returns the waiting
    /// call.
    mutating func cancel(seen: EventID) -> Waiter? {
        guard endedAt == nil else { return nil }
        endedAt = cursor(seen: seen)
        defer { call = .none }
        switch call {
        case .none, .busy: return nil
        case .waiting(let waiter): return waiter
        case .fetching(let waiter): return waiter
        }
    }

    /// Moves past admissions that did not concern it.
    private mutating func rise(to seen: EventID) {
        if isLevel { position.after = max(position.after, seen) }
    }

    private mutating func takeWaiting() -> Waiter? {
        guard case .waiting(let waiter?) = call else { return nil }
        call = .busy
        return waiter
    }

    // MARK: Position

    /// The cursor: everything up to it was delivered or told. All admissions up to `seen` that
    /// concern it must have been noted before.
    func cursor(seen: EventID) -> EventID {
        if let endedAt { return endedAt }
        guard gap == nil, events.isEmpty else { return delivered }
        return isLevel ? max(position.after, seen) : position.cursor
    }

    /// Whether everything was read that concerns it, so that newer events do not concern it.
    private var isLevel: Bool {
        guard !isBehind, position.stated == nil, position.unresolved == nil else { return false }
        if case .removal = ending { return false }
        switch call {
        case .none, .waiting: return true
        case .busy, .fetching: return false
        }
    }

    /// Stops counting it as a subscriber. Returns true once, when it has ended or its topic was
    /// deleted.
    mutating func leave() -> Bool {
        guard isCounted, endedAt != nil || isRemoved else { return false }
        isCounted = false
        return true
    }

    /// Whether it has ended: nobody waits for a read that is still under way.
    var hasEnded: Bool { endedAt != nil }

    private var isRemoved: Bool {
        if case .removal = ending { true } else { false }
    }

    /// Takes the events that will not be delivered any more, to be released outside the lock.
    mutating func takeLeftovers() -> [Event] {
        guard endedAt != nil else { return [] }
        defer { events = [] }
        return events
    }
}

extension LogPosition {
    /// The cursor with which a reader resumes here.
    var cursor: EventID { unresolved == nil ? after : .zero }
}
