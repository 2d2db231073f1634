/// What a loop knows of one accepted socket, from accept to close, in and out of the parser.
///
/// Kept small: thousands lie idle. Confined to its loop's thread.
final class Connection {
    /// Who holds the socket, and what it waits for.
    enum Phase {
        /// We do: nothing of the next request was read; its first byte takes it to the parser.
        case waiting
        /// libmicrohttpd does, and closes it.
        case parsing
        /// We do: a `DetachedSocket` whose owner waits for something to answer.
        case parked
        /// We do: the rest of an answer waits until the peer reads.
        case sending
        /// We do: the last answer is out, and what the peer still sends is thrown away so that it
        /// does not destroy that answer.
        case lingering
        /// Nobody.
        case closed
    }

    /// The place in the loop's table, and the number of the deadline in its wheel.
    let slot: Int
    /// Tells this connection's events from those of the slot's earlier ones.
    let generation: UInt32
    /// Who is at the other end.
    let peer: Peer

    var descriptor: Int32
    var phase = Phase.waiting

    /// The request that the parser is busy with.
    var request: ActiveRequest?
    /// The parser's connection; nil outside it.
    var parser: OpaquePointer?
    /// Whether the parser has had no complete request yet since the socket was given to it.
    var isFirstInParser = false

    /// Bytes that requests so far had, as far as `isTakenKnown`.
    var taken: UInt64 = 0
    /// False behind a chunked request, whose framing nobody counted.
    var isTakenKnown = true

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

    /// Who hears of the parked socket.
    var owner: (any DetachedSocketOwner)?
    /// What the owner knows the socket by.
    var socket: DetachedSocket?
    /// When the owner wants `timedOut`; `.max` for never.
    var ownerDue = UInt64.max
    /// When a half-closed peer is looked at again; `.max` for never.
    var recheckDue = UInt64.max
    /// How long the last pause before looking at it was, in milliseconds.
    var recheckPause: UInt64 = 0

    /// The rest of an answer.
    var tail: UnsentTail?
    /// When the peer last took a byte of an answer, for choosing whom to close when memory is short.
    var progressedAt: UInt64 = 0
    /// About how many bytes its unsent answer keeps.
    var unsentBytes = 0
    /// Whether the parser is about to close it on our word.
    var isCutOff = false
    /// Bytes thrown away while lingering.
    var discarded: UInt64 = 0

    init(slot: Int, generation: UInt32, descriptor: Int32, peer: Peer) {
        self.slot = slot
        self.generation = generation
        self.descriptor = descriptor
        self.peer = peer
    }

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
