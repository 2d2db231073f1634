internal import Topics

/// How far one run of `belfry sub` goes.
struct ReadingLimits: Sendable {
    /// Whether it ends where events are missing.
    let isStrict: Bool
    /// How many events it takes; nil for all.
    let eventsMax: Int?
    /// How often a program that failed runs again.
    let retries: Int
    /// Whether it passes over events of the bus's own types, such as `$silent`: no program runs for one unless it is
    /// asked for by its type.
    private let passesOverOwn: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        isStrict = arguments.has("--strict")
        eventsMax = try arguments.count("--max")
        retries = try arguments.count("--retry") ?? 0
        passesOverOwn = !arguments.program.isEmpty && !arguments.has(CommandOption.name(of: .type))
    }

    /// The event that was delivered; nil for one that it passes over, and for a gap, which is told.
    func event(of delivery: Delivery) throws(CommandFailure) -> Event? {
        switch delivery {
        case .event(let event): return passesOverOwn && event.metadata.isReserved ? nil : event
        case .gap(let gap):
            let sentence = "events behind \(gap.after) up to \(gap.through) may be missing"
            guard !isStrict else { throw CommandFailure(.gap, sentence) }
            Output.say(sentence)
            return nil
        }
    }
}
