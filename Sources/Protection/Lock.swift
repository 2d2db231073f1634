#if TSAN
    internal import Glibc

    /// The one lock under every `Protected` value, as the thread sanitizer can see it: it does not
    /// follow `Synchronization.Mutex` and would report false races, a `pthread_mutex_t` it knows.
    ///
    /// Checks for errors, so that re-entry stops the process here too instead of hanging.
    struct Lock: ~Copyable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

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

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let status = pthread_mutex_lock(mutex)
            guard status == 0 else {
                fatalError("Recursive call to lock a Protected value (pthread error \(status))")
            }
            defer { pthread_mutex_unlock(mutex) }
            return try body()
        }
    }
#else
    internal import Synchronization

    /// The one lock under every `Protected` value.
    struct Lock: ~Copyable {
        private let mutex = Mutex<Void>(())

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { (_) throws(Failure) in try body() }
        }
    }
#endif
