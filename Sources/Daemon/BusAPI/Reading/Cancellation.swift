internal import Protection

/// A flag that tells an operation beside a loop that nobody waits for it any more.
///
/// Safe from any thread.
final class Cancellation: Sendable {
    private let flag = Protected(false)

    var isCancelled: Bool { flag.value }

    func cancel() { flag.value = true }
}
