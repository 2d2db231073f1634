internal import Glibc
internal import Topics

/// What a thread of the store sleeps at until another one has work for it.
final class Bell: Sendable {
    private let waiting: Int32
    private let ringing: Int32

    init() throws(StoreError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw StoreError(detail: "no pipe for the store: \(SystemError.text(errno))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (waiting, ringing) = (ends[0], ends[1])
    }

    deinit {
        close(waiting)
        close(ringing)
    }

    /// Ends the wait of now, or the next one.
    func ring() {
        _ = write(ringing, "", 1)
    }

    /// Waits until it rings, or for so many milliseconds; -1 is for ever. May end earlier.
    func wait(milliseconds: Int32) {
        var end = pollfd(fd: waiting, events: Int16(POLLIN), revents: 0)
        guard poll(&end, 1, milliseconds) > 0 else { return }
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(waiting, &bytes, 16)
    }
}
