internal import Protection

/// Holds a loop, and then counts what it does from one of its turns to the next.
///
/// The most between two turns is what everybody else on the loop waits for, however fast the machine
/// is that the test runs on.
public final class TurnWatch: Sendable {
    /// Has a job run on the loop; one that is posted by a job runs in a later turn.
    public typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var most = 0
        var isOver = false
    }

    private let state = Protected(State())
    private let post: Post
    private let count: @Sendable () -> Int
    private let isHeld = Gate()
    private let release = Gate()

    /// Holds the loop, until ``begin()``.
    ///
    /// - Parameter count: How much is done, which rises; called on the loop.
    public init(_ post: @escaping Post, counting count: @escaping @Sendable () -> Int) throws {
        self.post = post
        self.count = count
        post { [self] in
            isHeld.open()
            try? release.wait()
            look(behind: count())
        }
        try isHeld.wait()
    }

    /// Lets the loop go on, and counts.
    public func begin() { release.open() }

    /// Ends it, and returns the most that was done in one turn.
    public func end() -> Int {
        state.write { state in
            state.isOver = true
            return state.most
        }
    }

    private func look(behind last: Int) {
        post { [self] in
            let now = count()
            let goesOn = state.write { state in
                state.most = max(state.most, now - last)
                return !state.isOver
            }
            if goesOn { look(behind: now) }
        }
    }
}
