internal import Glibc
internal import Protection
internal import Topics

/// New tokens of leases: 128 bits of the system's own randomness each, drawn some at a time.
///
/// Safe from any thread.
final class LeaseTokens: Sendable {
    /// Tokens that were drawn and not given yet.
    private let drawn = Protected<[LeaseToken]>([])

    /// A token that was never given before, and that nobody guesses.
    ///
    /// - Complexity: O(1); a system call for each ``Limits/tokensDrawn`` tokens.
    func next() -> LeaseToken {
        if let token = drawn.write({ $0.popLast() }) { return token }
        // Threads that come meanwhile draw as well, so that none waits for the system.
        var fresh = Self.draw()
        let token = fresh.removeLast()
        drawn.write { $0 += fresh }
        return token
    }

    private static func draw() -> [LeaseToken] {
        let none = LeaseToken(high: 0, low: 0)
        var tokens = [LeaseToken](repeating: none, count: Limits.tokensDrawn)
        let outcome = tokens.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        guard outcome == 0 else { fatalError("the system has no randomness: error \(errno)") }
        return tokens
    }
}
