/// What a loop knows of one accepted socket, from accept to close, in and out of the parser.
///
/// Kept small: thousands lie idle. Confined to its loop's thread.
final class Connection {
    /// Who holds the socket, and what it waits for.
    enum Phase {
        /// We do: nothing of the next request was read; its first byte takes it to the parser, unless
        /// its head is known.
        case waiting
        /// libmicrohttpd does, and closes it.
        case parsing
        /// We do: a `DetachedSocket` whose owner waits for something to answer.
        case parked
        /// We do: a `DetachedSocket` or `WebSocket` whose owner writes as the peer reads.
        case streaming
        /// We do: a request that was not parsed was handled, and its answer comes later.
        case pending
        /// We do: the rest of an answer waits until the peer reads.
        case sending
        /// We do: the last answer is out, and what the peer still sends is thrown away so that it
        /// does not destroy that answer.
        case lingering
        /// Nobody.
        case closed
    }

    // What every write to a stream looks at lies together, in front: with thousands of streams it is
    // not in the processor's cache.
    var descriptor: Int32
    var phase = Phase.waiting
    /// Whether a stream has had its share of this turn of the loop.
    var isResting = false
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
    /// Who is at the other end.
    var peer: Peer

    /// Whom what it takes is counted for.
    var account: CallerAccount?

    /// The request that the parser is busy with, or whose answer we await.
    var request: ActiveRequest?
    /// The parser's connection; nil outside it.
    var parser: OpaquePointer?
    /// Whether the parser has had no complete request yet since the socket was given to it.
    var isFirstInParser = false

    /// Bytes that requests so far had, as far as `isTakenKnown`.
    var taken: UInt64 = 0
    /// False behind a chunked request, whose framing nobody counted.
    var isTakenKnown = true
    /// Whether the kernel counts what is read from a unix socket; nobody can look into it then.
    var countsReads = false

    /// What was there to be read before the parser read the request that it is busy with.
    var seen: SeenInput?
    /// Requests that the parser had although their heads could be known, less those that were known.
    var unknownHeads: UInt8 = 0
    /// What the handler left for the next request.
    var memo: AnyObject?

    /// The question about its user's groups that it waits for before anything else; 0 for none.
    var groupsTicket: UInt64 = 0
    /// Whether it is new, and waits for that.
    var isIdentifying: Bool { groupsTicket != 0 }
    /// Whether the peer has not begun its first request yet.
    var isNew = true
    /// Whether bytes or the end of the stream have arrived while we held the socket.
    var hasInput = false
    /// Whether the peer sends no more.
    var isReadClosed = false
    /// Whether the parser is about to be told so, or was since its last request.
    var isEndNoted = false
    /// Whether the next answer must close the connection.
    var mustClose = false
    /// Whether the peer is still sending the request that is being answered.
    var mustLinger = false

    /// Who hears of the detached socket; of a closed one, who is yet to hear of that.
    var owner: SocketOwner?
    /// When the owner wants `timedOut`; `.max` for never.
    var ownerDue = UInt64.max
    /// When a half-closed peer is looked at again; `.max` for never.
    var recheckDue = UInt64.max
    /// How long the last pause before looking at it was, in milliseconds.
    var recheckPause: UInt64 = 0

    /// When the owner of a stream that has such a rest wants `stalled`.
    var stallDue = UInt64.max
    /// When what has come of a WebSocket's message must have come to its end; `.max` for nothing.
    var inputDue = UInt64.max
    /// Whether the poller tells when the kernel takes more of a stream.
    var isWatchedForRoom = false
    /// When the peer connected, or last took a byte of an answer: for choosing whom to close when
    /// memory is short, and who is new when the loop drains.
    var progressedAt: UInt64 = 0
    /// About how many bytes its unsent answer keeps.
    var unsentBytes = 0
    /// Whether the parser is about to close it on our word.
    var isCutOff = false
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
        mustLinger = bytes > 0
        if bytes <= bytesMax { discarded = bytesMax - bytes + 1 }
    }

    /// Counts bytes thrown away; false when no more may be.
    func discard(_ bytes: Int, bytesMax: UInt64) -> Bool {
        discarded += UInt64(bytes)
        return discarded <= bytesMax
    }

    /// Whether a `DetachedSocket` or `WebSocket` is about this socket.
    var isDetached: Bool { phase == .parked || phase == .streaming }

    /// Whether its stream may be written now.
    var isWritable: Bool { phase == .streaming && tail == nil && !isResting }

    /// What the poller calls the socket.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// A loop's connections by slot.
///
/// A slot is used again under a new generation, so that what was meant for its last connection
/// does not reach the next.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var generations: [UInt32] = []
    private var free: [Int] = []

    /// How many connections there are.
    private(set) var count = 0

    /// Makes the record of a new connection.
    mutating func insert(descriptor: Int32, peer: Peer) -> Connection {
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = slots.count
            slots.append(nil)
            generations.append(0)
        }
        // 0 is left out: it marks the loop's own descriptors.
        generations[slot] = generations[slot] == .max ? 1 : generations[slot] + 1
        let connection = Connection(
            slot: slot, generation: generations[slot], descriptor: descriptor, peer: peer)
        slots[slot] = connection
        count += 1
        return connection
    }

    /// Forgets a connection and frees its slot.
    mutating func remove(_ connection: Connection) {
        assert(slots[connection.slot] === connection, "a connection is removed once")
        slots[connection.slot] = nil
        free.append(connection.slot)
        count -= 1
    }

    /// The connection in a slot at this moment.
    subscript(slot: Int) -> Connection? {
        slot < slots.count ? slots[slot] : nil
    }

    /// The connection that the poller calls so; nil when it has gone.
    subscript(token token: UInt64) -> Connection? {
        guard let connection = self[Int(token & 0xFFFF_FFFF)],
            connection.generation == UInt32(token >> 32)
        else { return nil }
        return connection
    }

    /// All connections at this moment.
    var all: [Connection] { slots.compactMap { $0 } }
}
