#if !canImport(Darwin)
    internal import Glibc

    /// What a thread sleeps at until another one wakes it. Safe from any thread.
    ///
    /// A wake-up that comes before the wait is not forgotten.
    package final class WakeUpPipe: Sendable {
        private let readEnd: Int32
        private let writeEnd: Int32

        /// - Throws: when the system has no descriptor left.
        package init() throws(Errno) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .last }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            (readEnd, writeEnd) = (ends[0], ends[1])
        }

        deinit {
            close(readEnd)
            close(writeEnd)
        }

        /// Ends the wait of now, or the next one.
        package func signal() {
            _ = write(writeEnd, "", 1)
        }

        /// Waits for a signal, or for so many milliseconds; -1 is for ever. May end earlier.
        ///
        /// - Returns: Whether there was a signal.
        @discardableResult
        package func wait(milliseconds: Int32) -> Bool {
            var end = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&end, 1, milliseconds) > 0 else { return false }
            var bytes: (UInt64, UInt64) = (0, 0)
            _ = read(readEnd, &bytes, 16)
            return true
        }
    }
#endif
