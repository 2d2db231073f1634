internal import CLinux
internal import Glibc

/// What a loop knows of one accepted socket, from accept to close.
///
/// Kept small: thousands lie idle. So what is smaller than a word lies together. Confined to its loop's
/// thread.
final class Connection {
    // What every write to a stream looks at lies together, in front: with thousands of streams it is
    // not in the processor's cache.
    var descriptor: Int32
    /// Which phase it is in, and what may follow.
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
    /// What a stream's writes in that turn have cost, about as bytes.
    var turnCost: UInt32 = 0
    /// The rest of an answer, or of what a stream wrote last.
    var tail: UnsentTail?
    /// What the access log is to be told of the request; nil where there is none.
    var trace: AccessTrace?

    /// The place in the loop's table, and the number of the deadline in its wheel.
    let slot: Int
    /// Tells this connection's events from those of the slot's earlier ones.
    let generation: UInt32
    /// The hash of the head that was known last; 0 while none was.
    var headHash: UInt32 = 0
    /// Who is at the other end.
    var peer: Peer

    /// Whom what it takes is counted for.
    var account: CallerAccount?

    /// The request whose body arrives, or whose turn or answer is awaited.
    var request: ActiveRequest?

    /// The question about its user's groups that it waits for before anything else; 0 for none.
    var groupsTicket: UInt64 = 0

    /// What is done if the connection ends before the kernel has its answer whole.
    var ifLost: (() -> Void)?
    /// Who hears of the detached socket; of a closed one, who is yet to hear of that.
    var owner: SocketOwner?
    /// When the detached socket is looked at again.
    var deadlines = DetachedDeadlines()
    /// When the peer connected, or last took a byte of an answer: for choosing whom to close when
    /// memory is short, and who is new when the loop drains.
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

    /// Notes how much of a body that is thrown away is still to come: behind it nothing more is read.
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

    /// Tells the access log of a request that is over, whatever became of it.
    func endTrace() { trace.take()?.end() }

    /// Whether its stream may be written now.
    var isWritable: Bool { machine.isStreaming && tail == nil && !isResting }

    /// What the poller calls the socket.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}
