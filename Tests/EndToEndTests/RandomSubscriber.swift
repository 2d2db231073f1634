import Glibc
import TestSupport
import Testing

/// A subscriber of some form that stalls, vanishes, and comes back with the last cursor it had.
struct RandomSubscriber {
    /// How often it does what, of a hundred steps.
    struct Habits {
        var vanishing = 0
        var stalling = 0
        /// Whether the kernel keeps only little for it unread.
        var isNarrow = false
        /// How many events it may ask for at a time; nil is all there are.
        var maxima: [Int?] = [nil, nil, 1, 2, 7]
    }

    private enum Link {
        case none
        case idle(RawClient)
        case asked(RawClient, SubscriberRequest)
        case streaming(any SubscriberStream, SubscriberRequest)
    }

    /// What it is told, and when that may end without its own doing.
    struct Surroundings {
        /// Whether topics are deleted, which ends the streams of exactly their name.
        var deletes = false
        /// Whether the bus may cut off who reads slowly.
        var cuts = false
    }

    var addresses: [RawClient.Address]
    private let form: SubscriberForm
    private let habits: Habits
    private let surroundings: Surroundings
    private var link = Link.none
    private var stalledSteps = 0
    private var isHalfClosed = false
    private var isStopping = false
    private var random: SeededRandom
    private var tampering: Tampering?

    /// What it was told.
    private(set) var history: History

    /// Whether what it was told was tampered with.
    var isTampered: Bool { tampering?.isDone == true }

    /// A subscriber that begins behind the history's start.
    init(
        _ addresses: [RawClient.Address], _ form: SubscriberForm, _ history: History,
        habits: Habits = Habits(), surroundings: Surroundings = Surroundings(),
        tampering: Tampering? = nil, random: SeededRandom
    ) {
        self.addresses = addresses
        self.form = form
        self.history = history
        // Where events leave memory early, a poll of several topics may wait for the store, and is
        // given what the gap in front said may be missing: waiting, it has the grace of the others.
        let isPoll = form == .raw || form == .json
        self.history.isToldExactly = history.selector.isName || isPoll && !surroundings.cuts
        self.habits = habits
        self.surroundings = surroundings
        self.tampering = tampering
        self.random = random
    }

    /// A subscriber of everything random, with a form among those.
    static func any(
        of forms: [SubscriberForm], at addresses: [RawClient.Address], start: UInt64,
        maxima: [Int?]? = nil, surroundings: Surroundings, random seeds: SeededRandom
    ) -> RandomSubscriber {
        var random = seeds
        let history = History(
            selector: TestSelector(RandomPublisher.selectors.randomElement(using: &random)!),
            type: [nil, nil, "red"].randomElement(using: &random)!, start: start)
        var habits = Habits(
            vanishing: [0, 5, 20].randomElement(using: &random)!,
            stalling: [0, 0, 5, 25].randomElement(using: &random)!,
            isNarrow: Int.random(in: 0..<3, using: &random) == 0)
        habits.maxima = maxima ?? habits.maxima
        return RandomSubscriber(
            addresses, forms.randomElement(using: &random)!, history, habits: habits,
            surroundings: surroundings, random: random)
    }

    /// Whether something is there that its next step takes, or nothing is asked for.
    var isReady: Bool {
        switch link {
        case .none, .idle: true
        case .asked(let client, _): client.hasMore()
        case .streaming(let stream, _): stream.client.hasMore()
        }
    }

    /// The socket that it waits at.
    var descriptor: Int32? {
        switch link {
        case .none: nil
        case .idle(let client), .asked(let client, _): client.descriptor
        case .streaming(let stream, _): stream.client.descriptor
        }
    }

    /// Takes steps until it was told the last event of those published that concern it, or until
    /// that is in vain.
    mutating func run(
        until last: () -> LastEvents?, unless isInVain: () -> Bool = { false }
    ) throws {
        let deadline = monotonicSeconds() + RandomRun.secondsMax
        while !(try last().map { try $0.areTold(to: history) } ?? false), !isInVain() {
            try #require(monotonicSeconds() < deadline, "no end: \(self.description)")
            try step(within: 0.02)
        }
    }

    /// Does one thing: connects, asks, reads, stalls or vanishes.
    mutating func step(within seconds: Double, isCalm: Bool = false) throws {
        switch link {
        case .none:
            link = .idle(
                try RawClient(
                    addresses.randomElement(using: &random)!,
                    receiveBufferBytes: habits.isNarrow ? 16_384 : nil))
            isHalfClosed = false
            try step(within: seconds, isCalm: isCalm)
        case .idle(let client):
            let request = form.request(
                after: history, maxima: habits.maxima, using: &random)
            try client.send(request.bytes)
            tampering?.resumes(history)
            history.ask()
            link = .asked(client, request)
        case .asked(let client, let request):
            if !isCalm, isVanishing() { return try vanish(client) }
            guard client.hasMore(within: seconds) else { return }
            try open(client, request)
        case .streaming(let stream, let request):
            if !isCalm {
                if stalledSteps > 0 {
                    stalledSteps -= 1
                    if seconds > 0 { poll(nil, 0, 1) }
                    return
                }
                if isVanishing() { return try vanish(stream) }
                if isLikely(habits.stalling) {
                    stalledSteps = Int.random(in: 1...40, using: &random)
                    return
                }
            }
            try take(stream.told(within: seconds))
            try check(request)
            if let ending = stream.ending { try end(stream, ending, request) }
        }
    }

    /// Takes what is still told while the bus stops, through an end as it should be.
    mutating func readToEnd() throws {
        isStopping = true
        defer {
            isStopping = false
            link = .none
        }
        let deadline = monotonicSeconds() + 20
        while true {
            switch link {
            case .none, .idle: return
            case .asked, .streaming:
                try #require(monotonicSeconds() < deadline, "no end: \(description)")
                try step(within: 1, isCalm: true)
            }
        }
    }

    private mutating func open(_ client: RawClient, _ request: SubscriberRequest) throws {
        let status = try client.nextStatus()
        let isRefused = isStopping && status == 503
        if !isRefused, status != 410, let stream = try form.open(client, request) {
            link = .streaming(stream, request)
            return
        }
        let answer = try client.readAnswer(within: 60)
        let closes = answer.header("connection")?.lowercased() == "close"
        link = closes ? .none : .idle(client)
        if isRefused {
            try #require(answer.member("code") == "DRAINING" && closes, "\(answer)")
            return
        }
        try #require(status != 410 || isEndedByDeletion, "gone: \(description)")
        try take(answer.told(isJSON: form == .json))
        try check(request)
    }

    /// Whether the end of a topic ends what it asks for.
    private var isEndedByDeletion: Bool { surroundings.deletes && history.selector.isName }

    private mutating func take(_ told: [Told]) throws {
        var told = told
        tampering?.apply(to: &told, history)
        history.append(told)
    }

    /// What was asked for bounds what is told.
    private func check(_ request: SubscriberRequest) throws {
        guard let max = request.max else { return }
        let count = history.turns.last!.told.count { if case .event = $0 { true } else { false } }
        try #require(count <= max + (isTampered ? 1 : 0), "\(count) events: \(description)")
    }

    /// An end has to have a reason.
    private mutating func end(
        _ stream: any SubscriberStream, _ ending: StreamEnding, _ request: SubscriberRequest
    ) throws {
        link = .none
        switch ending {
        case .cut:
            try #require(surroundings.cuts, "cut off: \(description)")
        case .clean(let isKept):
            let count = history.turns.last!.told.count {
                if case .event = $0 { true } else { false }
            }
            let isDue =
                isStopping || request.ends || count == request.max || isHalfClosed
                || surroundings.cuts || isEndedByDeletion || isTampered
            try #require(isDue, "ended for nothing after \(count): \(description)")
            if isKept, !isHalfClosed { link = .idle(stream.client) }
        }
    }

    private mutating func isLikely(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func isVanishing() -> Bool {
        isLikely(habits.vanishing) && tampering?.holds(history) != true
    }

    /// Goes on the spot, or when something begins to arrive, by a close or by a reset.
    private mutating func vanish(_ client: RawClient) throws {
        if Bool.random(using: &random) { _ = client.hasMore(within: 0.005) }
        if Bool.random(using: &random) { client.reset() } else { client.close() }
        link = .none
    }

    /// Goes like that, or says so first: over HTTP by sending no more, after which what comes is
    /// still read, and over a WebSocket by closing it.
    private mutating func vanish(_ stream: any SubscriberStream) throws {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return try vanish(stream.client) }
        guard let socket = stream as? SocketStream else {
            if !isHalfClosed { stream.client.halfClose() }
            isHalfClosed = true
            return
        }
        try socket.close()
        let deadline = monotonicSeconds() + 10
        while stream.ending == nil {
            try #require(monotonicSeconds() < deadline, "no answer to the close: \(description)")
            try take(stream.told(within: 1))
        }
        link = .none
    }

    /// What it is and how far it came.
    var description: String {
        "\(form) of \(history.selector), type \(history.type ?? "any"), from \(history.start), "
            + "at \(history.cursor) after \(history.turns.count) turns"
    }
}
