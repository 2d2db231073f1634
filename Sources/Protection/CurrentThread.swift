#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// What tells the calling thread from all others that live at this moment; never zero.
///
/// Not inlinable: the compiler takes `pthread_self` to be constant within a function, and an
/// `async` one changes threads. A call it cannot see into is asked anew each time.
@usableFromInline @inline(never)
func currentThread() -> UInt {
    #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
    #else
        pthread_self()
    #endif
}

/// Lets other threads run first.
func yieldThread() {
    sched_yield()
}
