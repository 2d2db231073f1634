internal import BelfryClient
internal import Topics

/// Takes the events of a subscription, prints each or runs a program with it, and keeps the cursor.
struct SubscriptionReading {
    private let subscription: ClientSubscription
    private let form: PrintedForm
    private let file: CursorFile?
    private let program: EventProgram?
    private let limits: ReadingLimits

    init(
        _ subscription: ClientSubscription, _ form: PrintedForm, _ file: CursorFile?,
        _ program: EventProgram?, _ limits: ReadingLimits
    ) {
        self.subscription = subscription
        self.form = form
        self.file = file
        self.program = program
        self.limits = limits
    }

    func run() async throws(CommandFailure) {
        var left = limits.eventsMax ?? .max
        var kept = subscription.cursor
        while left > 0, let delivery = try await next(&kept) {
            guard let event = try limits.event(of: delivery) else { continue }
            guard limits.wanted.admits(event) else {
                try file?.keep(event.id)
                kept = event.id
                continue
            }
            left -= 1
            if let program {
                try await program.run(for: event, retries: limits.retries)
                try file?.keep(event.id)
                kept = event.id
            } else {
                form.print(event)
                if Output.standard.isFull { try Output.standard.flush() }
            }
        }
        try Output.standard.flush()
        try keep(&kept)
    }

    /// The next event or gap. Before it waits, everything is printed, and then its cursor kept: a
    /// run that is ended in between prints some events again, and leaves nothing out.
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
}
