internal import CLinux
internal import Glibc

/// The record of one accepted socket in its loop, from accept to close.
///
/// Kept small, since thousands lie idle: properties smaller than a word lie together. Confined to
/// its loop's thread.
final class Connection {
    // The properties that every write to a stream looks at lie together, in front. With thousands
    // of streams they are not in the processor's cache.
    var descriptor: Int32
    /// The phase that it is in, with the rules about the next one.
    var machine = ConnectionMachine()
    /// Whether a stream has had its share of this turn of the loop.
    var isResting = false
    /// Whether its unsent bytes wait for a turn of the loop that has room for them.
    var awaitsTurn = false
    /// Whether the poller tells when the kernel takes more of a stream.
    var isWatchedForRoom = false
    /// Requests whose heads were learned, less those whose heads were known.
    var unknownHeads: UInt8 = 0
    /// The turn that `turnCost` is about.
    var turn: UInt32 = 0
    /// The cost of a stream's writes in that turn, about as bytes.
    var turnCost: UInt32 = 0
    /// The unsent rest of an answer, or of a stream's last write.
    var tail: UnsentTail?
    /// The notes about the request for the access log; nil if there are none.
    var trace: AccessTrace?

    /// The place in the loop's table, and the number of the deadline in its wheel.
    let slot: Int
    /// Tells this connection's events from those of the slot's earlier ones.
    let generation: UInt32
    /// The hash of the head that was known last; 0 while none was.
    var headHash: UInt32 = 0
    /// The peer at the other end.
    var peer: Peer

    /// The account of its user, in which the things that it takes are counted.
    var account: CallerAccount?

    /// The request whose body arrives, or whose turn or answer is awaited.
    var request: ActiveRequest?

    /// The ticket of the question about its user's groups that it waits for before anything else; 0
    /// for none.
    var groupsTicket: UInt64 = 0

    /// Called if the connection ends before the kernel has its answer whole.
    var ifLost: (() -> Void)?
    /// The owner of the detached socket. Of a lost one, the owner that has yet to hear of its end.
    var owner: SocketOwner?
    /// The times at which the detached socket is looked at again.
    var deadlines = DetachedDeadlines()
    /// The time, in monotonic milliseconds, at which the peer connected, or last took a byte of an
    /// answer. It decides which connections are closed when memory is short, and which are new when
    /// the loop drains.
    var progressedAt: UInt64 = 0
    /// About how many bytes its unsent answer keeps.
    var unsentBytes = 0
    /// Bytes thrown away while lingering, or that will never come.
    private(set) var discarded: UInt64 = 0

    init(slot: Int, generation: UInt32, descriptor: Int32, peer: Peer) {
        self.slot = slot
        self.generation = generation
        self.descriptor = descriptor
        self.peer = peer
    }

    /// Notes how many bytes of a body that is thrown away are still to come. Nothing is read behind
    /// them.
    func expect(_ bytes: UInt64, bytesMax: UInt64) {
        machine.lingerBehindAnswer(for: bytes > 0 ? .body : .nothing)
        if bytes <= bytesMax { discarded = bytesMax - bytes + 1 }
    }

    /// Counts bytes thrown away; false when no more may be.
    func discard(_ bytes: Int, bytesMax: UInt64) -> Bool {
        discarded += UInt64(bytes)
        return discarded <= bytesMax
    }

    /// Bytes that wait in the kernel.
    var unreadBytes: Int { max(0, Int(clinux_unread_bytes(descriptor))) }

    /// Whether bytes wait in the kernel.
    var hasUnread: Bool { unreadBytes > 0 }

    /// Tells the access log of a request that is over, answered or not.
    func endTrace() { trace.take()?.end() }

    /// Whether its stream may be written now.
    var isWritable: Bool { machine.isStreaming && tail == nil && !isResting }

    /// The token by which the poller names the socket.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}
