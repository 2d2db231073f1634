internal import Topics

/// How far one run of `belfry sub` goes.
struct ReadingLimits: Sendable {
    /// Whether it ends where events are missing.
    let isStrict: Bool
    /// How many events it takes; nil for all.
    let eventsMax: Int?
    /// How often a program that failed runs again.
    let retries: Int
    /// The events that it deals with. It goes past others: no program runs for events of the bus.
    let wanted: EventFilter

    init(_ arguments: Arguments, wanted: EventFilter) throws(CommandFailure) {
        self.wanted = wanted
        isStrict = arguments.has("--strict")
        eventsMax = try arguments.count("--max")
        retries = try arguments.count("--retry") ?? 0
    }

    /// The event that was delivered; nil for a gap, which is told.
    func event(of delivery: Delivery) throws(CommandFailure) -> Event? {
        switch delivery {
        case .event(let event): return event
        case .gap(let gap):
            let sentence = "events behind \(gap.after) up to \(gap.through) may be missing"
            guard !isStrict else { throw CommandFailure(.gap, sentence) }
            Output.say(sentence)
            return nil
        }
    }
}
