#if TSAN
    #if canImport(Darwin)
        internal import Darwin
    #else
        internal import Glibc
    #endif

    /// The one lock under every protected value, as the thread sanitizer can see it: it does not
    /// follow `Synchronization.Mutex` and would report false races, a `pthread_mutex_t` it knows.
    ///
    /// Checks for errors, so that re-entry is told here too.
    @usableFromInline
    struct Lock: ~Copyable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        @usableFromInline
        init() {
            mutex = .allocate(capacity: 1)
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
            pthread_mutex_init(mutex, &attributes)
            pthread_mutexattr_destroy(&attributes)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        @usableFromInline
        borrowing func lock() {
            let status = pthread_mutex_lock(mutex)
            if status == EDEADLK { stopForReentry() }
            guard status == 0 else { fatalError("cannot lock a mutex: error \(status)") }
        }

        /// Takes the lock for a moment in which nothing runs, if nobody has it.
        @usableFromInline
        borrowing func tryLock() -> Bool {
            pthread_mutex_trylock(mutex) == 0
        }

        @usableFromInline
        borrowing func unlock() {
            guard pthread_mutex_unlock(mutex) == 0 else { stopForMove() }
        }

        /// Gives the lock back, if this thread has it; else stops the process.
        @usableFromInline
        borrowing func unlockHere() {
            unlock()
        }
    }
#else
    public import Synchronization

    /// The one lock under every protected value.
    ///
    /// It is `Mutex` with two things that `Mutex` lacks on Linux. That one stops a thread that
    /// takes
    /// it twice, but without advice. This lock knows which thread has it (``ThreadMark``), at the
    /// cost
    /// of a call and two plain stores. And once threads sleep for a `Mutex`, each unlocking wakes
    /// the next and hands it over. Threads that want it often stand in a line from then on, and pay
    /// for a switch every time. Here they give way a few times before they sleep, so that there is
    /// hardly ever a line.
    ///
    /// Uses the mutex's `_unsafe…` verbs, because an accessor that yields fits into no closure.
    @usableFromInline
    struct Lock: ~Copyable {
        @usableFromInline let mutex = Mutex<Void>(())

        /// The thread that has the lock.
        @usableFromInline let holder = ThreadMark()

        @inlinable
        init() {}

        @inlinable
        borrowing func lock() {
            if holder.isSet || !mutex._unsafeTryLock() { wait() }
            holder.set()
        }

        @usableFromInline
        borrowing func wait() {
            if holder.isOwn() { stopForReentry() }
            for _ in 0..<ProtectionLimits.yieldsBeforeSleepMax {
                yieldThread()
                if !holder.isSet, mutex._unsafeTryLock() { return }
            }
            mutex._unsafeLock()
        }

        /// Takes the lock for a moment in which nothing runs, if nobody has it.
        @inlinable
        borrowing func tryLock() -> Bool {
            !holder.isSet && mutex._unsafeTryLock()
        }

        @inlinable
        borrowing func unlock() {
            holder.clear()
            mutex._unsafeUnlock()
        }

        /// Gives the lock back, if this thread has it; else stops the process.
        @inlinable
        borrowing func unlockHere() {
            guard holder.isOwn() else { stopForMove() }
            unlock()
        }
    }
#endif

extension Lock {
    @inlinable
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// Stops a thread that would wait for itself.
@usableFromInline @inline(never)
func stopForReentry() -> Never {
    fatalError(
        """
        a protected value was used from inside a block that has it already, which would wait for \
        itself: use what the block is given, or act after the block has returned
        """)
}

/// Stops a thread that gives back a lock which another one took.
@usableFromInline @inline(never)
func stopForMove() -> Never {
    fatalError(
        """
        a change to a protected value began on one thread and ended on another: do not pass it \
        inout to an async function, take a copy, await, and write the result
        """)
}
