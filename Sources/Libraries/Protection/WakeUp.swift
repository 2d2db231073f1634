#if !canImport(Darwin)
    internal import Glibc

    /// A place at which one thread sleeps until another one wakes it. Any thread may signal; one at
    /// a time waits.
    ///
    /// Each signal ends one wait, also one that begins later. A signal costs no call of the system
    /// while nobody sleeps, and neither does a wait that finds one.
    ///
    /// Where several threads wait at one condition, glibc before 2.41 (Debian 12 has 2.36) may wake
    /// none of them for a signal: [bug 25847](https://sourceware.org/bugzilla/show_bug.cgi?id=25847).
    package final class WakeUp: Sendable {
        private struct State {
            var mutex = pthread_mutex_t()
            var condition = pthread_cond_t()
            /// Signals that no wait has taken.
            var signals = 0
        }

        // Unsafe: allocated once; the mutex in it guards the number.
        private nonisolated(unsafe) let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

        package init() {
            state.initialize(to: State())
            pthread_mutex_init(&state.pointee.mutex, nil)
            // A clock that is set does not move the end of a wait.
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(&state.pointee.condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(&state.pointee.condition)
            pthread_mutex_destroy(&state.pointee.mutex)
            state.deallocate()
        }

        /// Ends the wait of now, or the next one.
        package func signal() {
            pthread_mutex_lock(&state.pointee.mutex)
            state.pointee.signals += 1
            pthread_mutex_unlock(&state.pointee.mutex)
            pthread_cond_signal(&state.pointee.condition)
        }

        /// Waits for a signal, or for so many milliseconds; -1 is for ever.
        ///
        /// - Returns: Whether there was a signal.
        @discardableResult
        package func wait(milliseconds: Int32) -> Bool {
            let end = milliseconds < 0 ? nil : Self.time(after: milliseconds)
            pthread_mutex_lock(&state.pointee.mutex)
            defer { pthread_mutex_unlock(&state.pointee.mutex) }
            while state.pointee.signals == 0 {
                if let end {
                    guard wait(until: end) else { return false }
                } else {
                    pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex)
                }
            }
            state.pointee.signals -= 1
            return true
        }

        /// Waits until something may have changed; false once the time is up.
        private func wait(until end: timespec) -> Bool {
            withUnsafePointer(to: end) {
                pthread_cond_timedwait(&state.pointee.condition, &state.pointee.mutex, $0) == 0
            }
        }

        private static func time(after milliseconds: Int32) -> timespec {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            let nanoseconds = time.tv_nsec + Int(milliseconds) * 1_000_000
            time.tv_sec += nanoseconds / 1_000_000_000
            time.tv_nsec = nanoseconds % 1_000_000_000
            return time
        }
    }
#endif
