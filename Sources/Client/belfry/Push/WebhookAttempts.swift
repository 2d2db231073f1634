internal import BelfryClient

/// The step after each answer to one event: the rules of pauses, without a clock.
struct WebhookAttempts {
    /// The next action of its owner.
    enum Step: Equatable {
        /// Goes on with the next event.
        case done
        /// Sends nothing more to this receiver.
        case over
        /// Sends the event again behind a pause.
        case again(afterMilliseconds: Int)
    }

    private var failed = 0
    /// Returns a random number of a range. Pauses come from it.
    private let random: @Sendable (ClosedRange<Int>) -> Int

    init(random: @escaping @Sendable (ClosedRange<Int>) -> Int = { Int.random(in: $0) }) {
        self.random = random
    }

    /// The step behind an answer.
    ///
    /// Every status but 2xx is a failure that passes, a redirect too, as Standard Webhooks has it.
    /// 410 alone says that nobody wants more.
    mutating func step(behind answer: WebhookAnswer) -> Step {
        switch answer {
        case .status(200..<300, _): return .done
        case .status(410, _): return .over
        case .status(let status, let seconds?) where status == 429 || status == 503:
            let asked = min(seconds, Limits.webhookRetryAfterSecondsMax) * 1_000
            return .again(afterMilliseconds: max(pause(), asked))
        case .status, .none: return .again(afterMilliseconds: pause())
        }
    }

    private mutating func pause() -> Int {
        let longest = min(
            Limits.webhookPauseMillisecondsFirst << min(failed, 20),
            Limits.webhookPauseMillisecondsMax)
        failed += 1
        return random(longest / 4...longest)
    }
}
