public import Dispatch

extension DispatchQueue {
    /// Runs a block once in the process for each token, from any caller.
    ///
    /// ```swift
    /// DispatchQueue.once(token: "com.example.signals") { ignoreSignals() }
    /// ```
    ///
    /// Tokens are the same if they are equal and of one type. They are hashed and compared outside
    /// every lock, and are kept for ever: make them of fixed values, not of data that comes by.
    /// Everything else is as with ``Once/run(_:)``: later callers wait for a run in progress, an
    /// error leaves the token unused, and a block that waits for itself stops the process.
    ///
    /// - Returns: Whether it was this call that ran its block.
    /// - Throws: The error of `block`; then it counts for nothing.
    /// - Complexity: O(1), however many tokens there are.
    @discardableResult
    public static func once<Token: Hashable & Sendable, Failure: Error>(
        token: Token, _ block: () throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try OnceTokens.shared.once(for: token).run(block)
    }

    /// Runs a block once in the process for the place in the source that calls this.
    ///
    /// The place is file, function, line and column, so two calls in one line are two places. In a
    /// generic function it is one for all types. Everything else is as with ``once(token:_:)``;
    /// leave the parameters before the block to their defaults, or hand on those of your caller.
    ///
    /// - Returns: Whether it was this call that ran its block.
    /// - Throws: The error of `block`; then it counts for nothing.
    /// - Complexity: O(1), however many places there are.
    @discardableResult
    public static func once<Failure: Error>(
        file: String = #fileID, function: String = #function, line: UInt = #line,
        column: UInt = #column, _ block: () throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let place = CallSite(file: file, function: function, line: line, column: column)
        return try OnceTokens.shared.once(for: place).run(block)
    }
}

private struct CallSite: Hashable, Sendable {
    let file: String
    let function: String
    let line: UInt
    let column: UInt
}

/// The ``Once`` of every token of the process.
///
/// A table of chains by hash, not a dictionary by token: that would hash and compare tokens, which
/// are the caller's, under the lock.
private final class OnceTokens: Sendable {
    private final class Entry: Sendable {
        let token: any Hashable & Sendable
        let once = Once()
        let next: Entry?

        init(token: any Hashable & Sendable, next: Entry?) {
            self.token = token
            self.next = next
        }
    }

    static let shared = OnceTokens()

    private let chains = Protected<[Int: Entry]>([:])

    func once<Token: Hashable & Sendable>(for token: Token) -> Once {
        let hash = token.hashValue
        var searched: Entry?
        while true {
            let head = chains.read { $0[hash] }
            if let known = find(token, from: head, until: searched) { return known.once }
            let added = Entry(token: token, next: head)
            let isAdded = chains.write { chains in
                guard chains[hash] === head else { return false }
                chains[hash] = added
                return true
            }
            if isAdded { return added.once }
            searched = head
        }
    }

    private func find<Token: Hashable>(
        _ token: Token, from head: Entry?, until end: Entry?
    ) -> Entry? {
        var entry = head
        while let candidate = entry, candidate !== end {
            if let known = candidate.token as? Token, known == token { return candidate }
            entry = candidate.next
        }
        return nil
    }
}
