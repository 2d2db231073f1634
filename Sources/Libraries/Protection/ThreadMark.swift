public import Synchronization

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A mark of the thread that has something: none, or one that can find out whether it is itself.
///
/// A thread's identity is never a result. The compiler takes `pthread_self` to be constant, and
/// likewise a function that does nothing but call it. It uses such a result again behind an
/// `await`, where an `async` function goes on upon another thread. A store and a load of an atomic
/// are effects: a call that has one, and is not inlined, is made each time it stands there.
///
/// Everything is relaxed: a thread asks only for itself, and it sees its own last store.
@usableFromInline
package struct ThreadMark: ~Copyable, Sendable {
    /// The thread's number, or zero.
    @usableFromInline let thread = Atomic<UInt>(0)

    /// A mark without a thread.
    @inlinable
    package init() {}

    /// Whether it has a thread.
    @inlinable
    package var isSet: Bool { thread.load(ordering: .relaxed) != 0 }

    /// Whether it has the calling thread.
    @usableFromInline @inline(never)
    package func isOwn() -> Bool {
        thread.load(ordering: .relaxed) == Self.caller
    }

    /// Gives it the calling thread.
    @usableFromInline @inline(never)
    package func set() {
        thread.store(Self.caller, ordering: .relaxed)
    }

    /// Leaves it without a thread.
    @inlinable
    package func clear() { thread.store(0, ordering: .relaxed) }

    /// The number of the thread that it has, unlike that of all others that live at this moment.
    var number: UInt { thread.load(ordering: .relaxed) }

    // Inlined into the two above, which alone may ask for it.
    @inline(__always)
    private static var caller: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}

/// Lets other threads run first.
func yieldThread() {
    sched_yield()
}
