internal import Protection

/// Says that nobody waits for some work any more.
///
/// Safe from any thread.
final class Cancellation: Sendable {
    private let flag = Protected(false)

    var isCancelled: Bool { flag.value }

    func cancel() { flag.value = true }
}
