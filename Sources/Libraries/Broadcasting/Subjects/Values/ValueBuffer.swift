/// The values between a publisher and an asynchronous reader, and the readers that wait for one. It
/// is a machine: ``ValueInbox`` carries out the results of its verbs.
struct ValueBuffer<Output: Sendable, Failure: Error>: Sendable {
    typealias Waiter = CheckedContinuation<Next, Never>

    /// The answer that a reader gets.
    enum Next: Sendable {
        case value(Output)
        case failure(Failure)
        case end
    }

    private var values = ValueQueue<Output>()
    private var waiters = ValueQueue<Waiter>()
    private var ending: Subscribers.Completion<Failure>?
    private let countMax: Int
    private let keepsNewest: Bool

    private(set) var droppedCount = 0

    init(_ buffering: ValueBuffering) {
        countMax = buffering.checkedCount
        keepsNewest =
            switch buffering {
            case .newest: true
            case .oldest: false
            }
    }

    /// Takes a value.
    ///
    /// - Returns: The reader that gets it right away, and the value to release outside of the lock.
    mutating func receive(_ value: Output) -> (waiter: Waiter?, dropped: Output?) {
        guard ending == nil else { return (nil, nil) }
        if let waiter = waiters.popFirst() { return (waiter, nil) }
        if values.count < countMax {
            values.append(value)
            return (nil, nil)
        }
        droppedCount += 1
        guard keepsNewest else { return (nil, value) }
        values.append(value)
        return (nil, values.popFirst())
    }

    /// Takes the end, behind the values.
    ///
    /// - Returns: The readers that wait; the first of them gets a failure, the others the end.
    mutating func end(_ completion: Subscribers.Completion<Failure>) -> [(Waiter, Next)] {
        guard ending == nil else { return [] }
        ending = completion
        return waiters.take().map { ($0, takeEnding()) }
    }

    /// Ends at once.
    ///
    /// - Returns: The readers that wait, and the values to release outside of the lock.
    mutating func cancel() -> (waiters: ValueQueue<Waiter>, values: ValueQueue<Output>) {
        ending = .finished
        return (waiters.take(), values.take())
    }

    /// The answer that a reader gets now; nil if it has to wait.
    mutating func take() -> Next? {
        if let value = values.popFirst() { return .value(value) }
        return ending == nil ? nil : takeEnding()
    }

    /// Lets a reader wait.
    ///
    /// - Returns: The answer that it gets instead, if something has come.
    mutating func wait(_ waiter: Waiter) -> Next? {
        if let next = take() { return next }
        waiters.append(waiter)
        return nil
    }

    /// A failure is told once.
    private mutating func takeEnding() -> Next {
        defer { ending = .finished }
        if case .failure(let failure) = ending { return .failure(failure) }
        return .end
    }
}
