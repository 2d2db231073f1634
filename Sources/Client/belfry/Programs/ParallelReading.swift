internal import BelfryClient
internal import Topics

/// Runs a program for several events of a subscription at once, and keeps the cursor in front of the
/// first that is not dealt with.
struct ParallelReading: Sendable {
    private enum Step: Sendable {
        case read(Delivery?)
        case ended(Event)
        case failed(CommandFailure)
    }

    private let subscription: ClientSubscription
    private let program: EventProgram
    private let file: CursorFile?
    private let limits: ReadingLimits
    private let countMax: Int

    init(
        _ subscription: ClientSubscription, _ program: EventProgram, _ file: CursorFile?,
        _ limits: ReadingLimits, countMax: Int
    ) {
        self.subscription = subscription
        self.program = program
        self.file = file
        self.limits = limits
        self.countMax = countMax
    }

    /// Runs until nothing more comes, or a program has failed for good; those that run then end first.
    func run() async throws(CommandFailure) {
        let failure = await withTaskGroup(of: Step.self) { group in
            await work(in: &group)
        }
        if let failure { throw failure }
        try file?.keep(subscription.cursor)
    }

    private func work(in group: inout TaskGroup<Step>) async -> CommandFailure? {
        var lanes = KeyLanes(from: subscription.cursor)
        var (left, isReading, failure) = (limits.eventsMax ?? .max, false, CommandFailure?.none)
        while true {
            // As many again may wait behind others of their key.
            if !isReading, left > 0, failure == nil, lanes.runningCount < countMax,
                lanes.count < 2 * countMax
            {
                isReading = true
                group.addTask { await read() }
            }
            guard let step = await group.next() else { break }
            do throws(CommandFailure) {
                switch step {
                case .read(nil): left = 0
                case .read(let delivery?):
                    isReading = false
                    guard failure == nil, let event = try limits.event(of: delivery) else { break }
                    guard limits.wanted.admits(event) else {
                        lanes.passBy(event.id)
                        try file?.keep(lanes.cursor)
                        break
                    }
                    left -= 1
                    if let event = lanes.add(event) { group.addTask { await work(on: event) } }
                case .ended(let event):
                    if let next = lanes.end(event), failure == nil {
                        group.addTask { await work(on: next) }
                    }
                    try file?.keep(lanes.cursor)
                case .failed(let error): throw error
                }
            } catch {
                failure = failure ?? error
                subscription.cancel()
            }
        }
        return failure
    }

    private func read() async -> Step {
        var iterator = subscription.makeAsyncIterator()
        do throws(ClientError) {
            return .read(try await iterator.next())
        } catch {
            return .failed(CommandFailure(error))
        }
    }

    private func work(on event: Event) async -> Step {
        do throws(CommandFailure) {
            try await program.run(for: event, retries: limits.retries)
            return .ended(event)
        } catch {
            return .failed(error)
        }
    }
}
