internal import BelfryClient
internal import Glibc
internal import Topics

/// `belfry copy`: publishes the events of one bus on another one, in their order.
struct Copying {
    private let source: ClientSubscription
    private let target: BusClient
    private let session: Session
    private let file: CursorFile?
    private var count = 0
    private var hasDeadLetters = false
    private var hasOwn = false
    private var progress = CopyProgress()

    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        guard !arguments.has("--url"), !arguments.has("--token-file") else {
            throw CommandFailure(
                .usage, "'belfry copy' has two addresses: give '--from-token' and '--to-token'")
        }
        guard arguments.operands[0] != arguments.operands[1] else {
            throw CommandFailure(.usage, "FROM and TO are one bus, which would not come to an end")
        }
        let from = try Session(
            at: try Session.address(arguments.operands[0]),
            tokenFile: arguments.text("--from-token"), arguments)
        let to = try Session(
            at: try Session.address(arguments.operands[1]), tokenFile: arguments.text("--to-token"),
            arguments)
        let selector = try Names.selector([arguments.text("--topics") ?? ">"])
        let file = try arguments.text("--name").map { name throws(CommandFailure) in
            try CursorFile(name, of: selector)
        }
        let since = try Names.start(arguments.text("--since") ?? "earliest")
        let end: SubscriptionEnd = arguments.has("--follow") ? .never : .now
        let client = from.client
        let source = try await from.ask { () throws(ClientError) in
            try await client.subscribe(
                selector, since: file?.start.map { .after($0) } ?? since, until: end)
        }
        var copying = Copying(source: source, target: to.client, session: to, file: file)
        try await copying.run()
    }

    private init(
        source: ClientSubscription, target: BusClient, session: Session, file: CursorFile?
    ) {
        self.source = source
        self.target = target
        self.session = session
        self.file = file
    }

    private mutating func run() async throws(CommandFailure) {
        var batch = CopiedBatch()
        while true {
            // Events that came together go together; nothing waits for more.
            guard let delivery = source.ready() else {
                try await publish(&batch)
                guard let delivery = try await next() else { break }
                try await take(delivery, &batch)
                continue
            }
            try await take(delivery, &batch)
        }
        try file?.keep(source.cursor)
        CopyProgress.say("\(count) events copied")
    }

    private func next() async throws(CommandFailure) -> Delivery? {
        var iterator = source.makeAsyncIterator()
        do throws(ClientError) {
            return try await iterator.next()
        } catch {
            throw CommandFailure(error)
        }
    }

    private mutating func take(
        _ delivery: Delivery, _ batch: inout CopiedBatch
    ) async throws(CommandFailure) {
        switch delivery {
        case .gap(let gap):
            CopyProgress.say("events behind \(gap.after) up to \(gap.through) may be missing")
        case .event(let event) where event.metadata.isReserved:
            // The other bus takes such a type from nobody.
            if !hasOwn { CopyProgress.say("events of the bus's own types stay behind") }
            hasOwn = true
        case .event(let event):
            let attributes = event.metadata.attributes
            if attributes.ofPublisher != attributes, !hasDeadLetters {
                hasDeadLetters = true
                CopyProgress.say(
                    "dead letters become events: their attributes of the bus stay behind")
            }
            if !batch.takes(event) { try await publish(&batch) }
            batch.add(event)
        }
    }

    private mutating func publish(_ batch: inout CopiedBatch) async throws(CommandFailure) {
        guard let last = batch.last else { return }
        let (target, whole) = (target, batch.whole)
        let ttl = batch.ttl(at: Timestamp(microseconds: Int64(time(nil)) * 1_000_000))
        _ = try await session.ask { () throws(ClientError) in
            try await target.publish(whole, ttl: ttl)
        }
        try file?.keep(last.id)
        count += batch.events.count
        progress.show(count, upTo: last)
        batch = CopiedBatch()
    }
}

/// How far a copy is, on a line of the terminal that is written over; nothing where no person looks.
struct CopyProgress {
    private var due = ContinuousClock.now

    /// Shows how many events were copied and when the last of them was published, a few times a
    /// second at most.
    mutating func show(_ count: Int, upTo last: Event) {
        let now = ContinuousClock.now
        guard Output.errors.isTerminal, now >= due else { return }
        due = now + .milliseconds(Limits.progressMilliseconds)
        Output.errors.write(.lineStart)
        Output.errors.write("\(count) events copied, up to \(last.time)")
        Output.errors.write(.clearLine)
        try? Output.errors.flush()
    }

    /// Tells the user something, in place of the line.
    static func say(_ sentence: String) {
        Output.errors.write(.lineStart)
        Output.errors.write(.clearLine)
        Output.say(sentence)
    }
}
