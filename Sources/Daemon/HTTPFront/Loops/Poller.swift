internal import CLinux
internal import Glibc

/// One epoll instance, which watches descriptors and names each by a token.
///
/// Closed with its last reference. Confined to the thread of the loop that owns it.
final class Poller {
    /// One thing that happened.
    struct ReadyEvent {
        let token: UInt64
        private let bits: UInt32

        init(token: UInt64, bits: UInt32) {
            self.token = token
            self.bits = bits
        }

        var isReadable: Bool { bits & CLINUX_EPOLL_IN.rawValue != 0 }
        var isWritable: Bool { bits & CLINUX_EPOLL_OUT.rawValue != 0 }
        /// The peer will send nothing more: gone or half-closed.
        var isReadClosed: Bool { bits & CLINUX_EPOLL_RDHUP.rawValue != 0 }
        /// The connection is over in both directions, or broken.
        var isHungUp: Bool {
            bits & (CLINUX_EPOLL_HUP.rawValue | CLINUX_EPOLL_ERR.rawValue) != 0
        }
    }

    /// The kinds of events to be told about.
    struct Interest: OptionSet {
        let rawValue: UInt32
        static let readable = Interest(rawValue: CLINUX_EPOLL_IN.rawValue)
        static let writable = Interest(rawValue: CLINUX_EPOLL_OUT.rawValue)
        static let readClosed = Interest(rawValue: CLINUX_EPOLL_RDHUP.rawValue)
        /// Told once for each change, not for as long as it lasts.
        static let edge = Interest(rawValue: clinux_epoll_edge)
        /// Told to one of several waiting loops.
        static let exclusive = Interest(rawValue: clinux_epoll_exclusive)
    }

    private let descriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    init() throws(ServerError) {
        let result = clinux_epoll_create()
        guard result >= 0 else {
            throw ServerError(doing: "creating an epoll instance", code: -result)
        }
        descriptor = result
        events = .allocate(capacity: Self.eventsMax)
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    /// Begins to watch a descriptor; false when the kernel refuses.
    func add(_ watched: Int32, _ interest: Interest, token: UInt64) -> Bool {
        clinux_epoll_add(descriptor, watched, interest.rawValue, token) == 0
    }

    /// Changes the events that are watched for.
    func change(_ watched: Int32, _ interest: Interest, token: UInt64) {
        let result = clinux_epoll_change(descriptor, watched, interest.rawValue, token)
        assert(result == 0, "epoll refused to change descriptor \(watched): errno \(-result)")
    }

    /// Stops watching.
    func remove(_ watched: Int32) {
        let result = clinux_epoll_remove(descriptor, watched)
        assert(result == 0, "epoll refused to remove descriptor \(watched): errno \(-result)")
    }

    /// Waits up to `milliseconds` (-1: without end), and returns how many events there are.
    func wait(milliseconds: Int32) -> Int {
        max(0, Int(epoll_wait(descriptor, events, Int32(Self.eventsMax), milliseconds)))
    }

    /// An event of the last wait.
    subscript(index: Int) -> ReadyEvent {
        ReadyEvent(
            token: clinux_event_token(events + index), bits: clinux_event_bits(events + index))
    }

    /// Events of one wait; further ones come with the next.
    static let eventsMax = 256
}

/// The tokens of a loop's own descriptors. Those of connections have a generation in their upper
/// half.
enum PollToken {
    static let mailbox: UInt64 = 0
    static let firstListener: UInt64 = 1
    static let firstConnection: UInt64 = 1 << 32
}
