/// Looks, while somebody waits for an answer, whether the bus is there at all, and says so if not.
///
/// A bus that cannot start may have a socket that systemd listens on: a client connects and hears
/// nothing. And a bus that is there may take its time, for a reply or the next job.
package struct Lookout: Sendable {
    private let look: @Sendable () async -> ClientError?
    private let sleep: @Sendable (Duration) async -> Bool
    private let say: @Sendable (ClientError) -> Void
    private let failures = AsyncStream<ClientError>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - look: Asks the bus something small, and returns why it does not answer; nil where it does.
    ///   - sleep: Lets a time pass, and returns whether it did: false for a task that is cancelled.
    ///   - say: Tells the user. Called once at most.
    package init(
        look: @escaping @Sendable () async -> ClientError?,
        sleep: @escaping @Sendable (Duration) async -> Bool,
        say: @escaping @Sendable (ClientError) -> Void
    ) {
        self.look = look
        self.sleep = sleep
        self.say = say
    }

    /// An attempt failed, and there is to be another one.
    package func note(_ error: ClientError) { failures.continuation.yield(error) }

    /// Looks until its task is cancelled, or until the bus is not there when the time is over.
    ///
    /// - Parameters:
    ///   - silence: How long nothing is said.
    ///   - time: The time, from now on; nil is for ever.
    package func run(silentFor silence: Duration, giveUpAfter time: Duration?) async {
        guard await sleep(silence) else { return }
        var passed = silence
        if let error = await look() {
            // The answer came meanwhile: that the look was ended says nothing of the bus.
            if Task.isCancelled { return }
            say(error)
        } else {
            guard let error = await nextFailure(), await sleep(silence) else { return }
            passed += silence
            say(error)
        }
        if let time {
            if time > passed { guard await sleep(time - passed) else { return } }
            guard await look() == nil else { return }
        }
        for await _ in failures.stream {}
    }

    private func nextFailure() async -> ClientError? {
        for await error in failures.stream { return error }
        return nil
    }
}
