internal import Protection

/// Whether this thread is inside of a call to some subscriber, or of a release, where nobody may be
/// waited for.
///
/// A call is made and over on one thread. So code that another thread or a task runs meanwhile is
/// not inside of it.
@usableFromInline
enum CallContext {
    private static let calls = ThreadDepth()

    @usableFromInline static var mayWait: Bool { !calls.isInside }

    /// Runs `body`, which calls a subscriber, or cancels where nobody may be waited for.
    @usableFromInline
    static func withoutWaiting(_ body: () -> Void) {
        calls.inside(body)
    }
}
