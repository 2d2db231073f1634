#if TSAN
    internal import Glibc

    /// The one lock under every `Protected` value, as the thread sanitizer can see it: it does not
    /// follow `Synchronization.Mutex` and would report false races, a `pthread_mutex_t` it knows.
    struct Lock: ~Copyable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init() {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            pthread_mutex_lock(mutex)
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
