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
        var last = 0
        var isOver = false

        mutating func look(_ now: Int) {
            most = max(most, now - last)
            last = now
        }
    }

    private let state = Protected(State())
    private let post: Post
    private let count: @Sendable () -> Int
    private let isHeld = Gate()
    private let release = Gate()

    /// Holds the loop, until ``begin()``.
    ///
    /// - Parameter count: How much is done, which rises; called on any thread.
    public init(_ post: @escaping Post, counting count: @escaping @Sendable () -> Int) throws {
        self.post = post
        self.count = count
        post { [self] in
            let now = count()
            state.write { $0.last = now }
            isHeld.open()
            try? release.wait()
            look()
        }
        try isHeld.wait()
    }

    /// Lets the loop go on, and counts.
    public func begin() { release.open() }

    /// Ends it, and returns the most that was done between two looks, or since the last one: a test
    /// may see the end of it all before the loop looks again.
    public func end() -> Int {
        let now = count()
        return state.write { state in
            state.look(now)
            state.isOver = true
            return state.most
        }
    }

    private func look() {
        post { [self] in
            let now = count()
            let goesOn = state.write { state in
                state.look(now)
                return !state.isOver
            }
            if goesOn { look() }
        }
    }
}
