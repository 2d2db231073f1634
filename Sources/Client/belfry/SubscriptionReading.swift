internal import BelfryClient
internal import Topics

/// Takes what a subscription tells, prints it or runs a program with it, and keeps the cursor.
struct SubscriptionReading {
    private let subscription: ClientSubscription
    private let form: PrintedForm
    private let file: CursorFile?
    private let program: EventProgram?
    private let retries: Int
    private let isStrict: Bool
    private let eventsMax: Int?

    init(
        _ subscription: ClientSubscription, _ form: PrintedForm, _ file: CursorFile?,
        _ program: EventProgram?, retries: Int, isStrict: Bool, eventsMax: Int?
    ) {
        self.subscription = subscription
        self.form = form
        self.file = file
        self.program = program
        self.retries = retries
        self.isStrict = isStrict
        self.eventsMax = eventsMax
    }

    func run() async throws(CommandFailure) {
        var left = eventsMax ?? .max
        var kept = subscription.cursor
        while left > 0, let delivery = try await next(&kept) {
            switch delivery {
            case .gap(let gap):
                let sentence = "events behind \(gap.after) up to \(gap.through) may be missing"
                guard !isStrict else { throw CommandFailure(.gap, sentence) }
                CommandRun.say(sentence)
            case .event(let event):
                left -= 1
                if let program {
                    try await run(program, event)
                    try file?.keep(event.id)
                    kept = event.id
                } else {
                    form.print(event)
                    if Output.standard.isFull { try Output.standard.flush() }
                }
            }
        }
        try Output.standard.flush()
        try keep(&kept)
    }

    /// What comes next. Before it waits, everything is printed, and then its cursor kept: a run that
    /// is ended in between prints again what it printed, and leaves nothing out.
    private func next(_ kept: inout EventID) async throws(CommandFailure) -> Delivery? {
        if program == nil {
            if let delivery = subscription.ready() { return delivery }
            try Output.standard.flush()
            try keep(&kept)
        }
        var iterator = subscription.makeAsyncIterator()
        do throws(ClientError) {
            return try await iterator.next()
        } catch {
            throw CommandFailure(error)
        }
    }

    private func keep(_ kept: inout EventID) throws(CommandFailure) {
        let cursor = subscription.cursor
        guard let file, cursor != kept else { return }
        try file.keep(cursor)
        kept = cursor
    }

    private func run(_ program: EventProgram, _ event: Event) async throws(CommandFailure) {
        var (left, seconds) = (retries, 1)
        while true {
            let ending = try await program.run(for: event).ending
            if ending == .exited(0) { return }
            let sentence = "\(program.words[0]) \(ending.sentence) for event \(event.id)"
            guard left > 0 else { throw CommandFailure(.failedProgram, sentence) }
            CommandRun.say("\(sentence): it runs again in \(seconds) s")
            try? await Task.sleep(for: .seconds(seconds))
            left -= 1
            seconds = min(seconds * 2, Limits.retrySecondsMax)
        }
    }
}
