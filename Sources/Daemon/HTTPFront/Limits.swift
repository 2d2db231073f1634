/// Every maximum of the front, its unit last in its name, with the reason for the number.
public enum HTTPFrontLimits {
    /// Seconds from the first byte of a request to the end of its headers.
    ///
    /// A client on the same machine needs milliseconds; ten seconds forgive a human typing into
    /// `nc`, and still free the slot of a client that trickles bytes.
    public static let headerSeconds = 10

    /// Seconds from the end of the headers to the end of the body, however steadily it trickles;
    /// and from the first bytes of a WebSocket's message to its last.
    ///
    /// 16 MiB in 30 s is 560 KiB/s, far below the rate that a loopback client reaches.
    public static let bodySeconds = 30

    /// Seconds a connection may lie idle between two requests.
    ///
    /// Above the 60 s after which common client pools drop an idle connection by themselves, so
    /// that the client, which can choose its moment, is nearly always the one to close.
    public static let idleSeconds = 75

    /// Connections open at one time, parked ones included.
    ///
    /// Below the usual hard file limit of 20,000, with room for the store, logs and listeners.
    public static let connectionsMax = 16_384

    /// Bytes of one request's line and headers: browsers send the cookies of every server on this machine.
    public static let headerBytesMax = 16 * 1024

    /// The range of `headerBytesMax`: at least the bytes that a browser sends with a few cookies,
    /// and at most the bytes that are looked at in one go.
    public static let headerBytesRange = 4 * 1024...receiveBufferBytes

    /// Headers of one request; browsers send 20.
    static let headersMax = 256

    /// Bytes of a method; the longest that is registered has 17.
    static let methodBytesMax = 64

    /// Bytes of a refused body that are read and thrown away so that the client gets to read the
    /// answer; a client that sends more is cut off.
    ///
    /// Twice the largest batch (16 MiB): an honest mistake is told, a flood is not read.
    public static let discardBytesMax = 32 * 1024 * 1024

    /// The kernel's send buffer of one connection.
    ///
    /// One delivery of 64 KiB fits; more would hide a slow reader, and counts against nobody's
    /// memory limit.
    public static let socketSendBufferBytes = 128 * 1024

    /// Event loops of one server. More loops than any one machine has processors are of no use.
    public static let loopsMax = 64

    /// Milliseconds that an answer of the kernel's socket table may take.
    ///
    /// It is written before the request's `send` returns, so any wait at all is a broken kernel.
    public static let socketTableMillisecondsMax = 50

    /// Milliseconds after which the kernel is asked for the first time whether the peer of a
    /// half-closed connection still lives. Each pause after that is twice as long, up to
    /// `halfClosedRecheckSeconds`.
    public static let halfClosedFirstRecheckMilliseconds: UInt64 = 500

    /// The longest pause, in seconds, between two such questions about a half-closed connection.
    public static let halfClosedRecheckSeconds = 15

    /// Supplementary groups of a caller over a unix socket for which there is room at first. Few
    /// users have more.
    static let peerGroupsExpected = 32

    /// Supplementary groups of a caller over a unix socket, as many as the kernel allows
    /// (NGROUPS_MAX).
    static let peerGroupsMax = 65_536

    /// Milliseconds that a new connection waits for the groups of its user to be looked up, where
    /// they are needed; after that it goes on without them.
    ///
    /// A directory service on the network answers in tens of milliseconds, or is down.
    public static let peerGroupsMilliseconds: UInt64 = 5_000

    /// Bytes of a declared Content-Length that are believed; above 2^53 no client counts exactly.
    public static let contentLengthMax: UInt64 = 1 << 53

    /// Query parameters of one request, repeated ones counted.
    ///
    /// No route has a dozen; each costs two strings, so a target full of `&` stays cheap.
    public static let queryItemsMax = 64

    /// Bytes of the prefix of every path: more than a name for people has, and little of the room of a head.
    public static let pathPrefixBytesMax = 128

    /// Bytes of a unix socket's path: `sockaddr_un` holds 108 with the final NUL.
    public static let unixPathBytesMax = 107

    /// Milliseconds from the accepting of a connection within which a drain waits for its first
    /// request.
    ///
    /// A client sends as soon as it is connected, and a second forgives a busy machine. A
    /// connection that somebody opened in advance can make a stop longer by as much.
    public static let firstRequestMilliseconds: UInt64 = 1_000

    /// Steps of one turn of a loop, some two microseconds each, that any kind of task may take
    /// beyond its own share. With the shares, a turn that has everything to do takes some five
    /// milliseconds.
    static let sharedStepsPerTurn = 768

    /// Microseconds that a turn of a loop may last before it is late. A late turn leaves most tasks
    /// that can wait to the next one.
    ///
    /// A turn that becomes late at once has some half of its steps left. On a machine where a step
    /// takes four microseconds, that is another 6 ms. So even there no turn takes 10 ms. A turn
    /// with less to do is over before, so that the limit costs it nothing.
    static let punctualMicrosecondsMax = 2_000

    /// Steps of a turn after which the clock is looked at: some 60 µs, for a look of some 30 ns.
    static let stepsPerLook = 32

    /// Steps of a late turn for each kind of task that can wait, those that it took before
    /// included. They are enough for a few heartbeats or messages, so that the kind goes on in
    /// every turn. Writes for connections with much to write have as many.
    static let lateStepsPerKind = 32

    /// Steps of accepting a connection, with the questions to the kernel about its peer.
    static let acceptSteps = 8

    /// Steps of a deadline, beside the bytes that it writes. A heartbeat takes 18 µs with the
    /// kernel's part.
    static let deadlineSteps = 8

    /// Steps of closing a socket whose peer has gone, with its owner's part.
    static let hangUpSteps = 12

    /// Milliseconds that a stop waits for the next of the requests that had arrived to be handled.
    /// It waits for all of them half of its time at most.
    static let arrivalPauseMillisecondsMax: UInt64 = 2_000

    /// Requests that a loop handles at a stop as always, on top of twice the number that wait, if
    /// more come without end. They make room for the requests of other users in between.
    static let arrivalsBeside = 256

    /// Steps of telling a connection of a drain, which may close it.
    static let drainSteps = 4

    /// Steps of a job or an answer that another thread has brought.
    static let mailSteps = 4

    /// Answers of one message that are given before the loop looks at its other tasks.
    static let repliesAtOnceMax = 16

    /// Bytes of an answer that make a step. The kernel copies them twice, for us and for their
    /// reader. Another thread has made them, so that they are in no cache of this one.
    static let writtenBytesPerStep = 1024

    /// Bytes of a stream that make a step. All readers at one place share the bytes that are
    /// written. Readers that find no step left share no more, and each costs three times as much.
    static let streamedBytesPerStep = 4 * 1024

    /// Bytes of an answer whose memory goes with it that make a step. The system takes back a block
    /// that is too large for a heap page by page, and 16 KiB take it 2 to 2.5 µs.
    static let freedBytesPerStep = 16 * 1024

    /// Bytes of an answer that are written as soon as it is there, while its turn has room for any.
    /// Larger answers get no more than the share of writes until everybody else had their part of
    /// the turn.
    static let writtenAtOnceBytesMax = 16 * 1024

    /// Bytes of an answer that are written at one time, as much as the share of writes. Without
    /// this limit the kernel would take megabytes while the peer reads.
    static let sendBytesMax = 128 * 1024

    /// Steps above which a request is long: a target of 480 bytes, or a body of 30 KiB.
    static let shortRequestStepsMax = 64

    /// Bytes of a request with its body, or of a head alone, that a parser with little memory
    /// reads. Most requests have less.
    ///
    /// libmicrohttpd clears the whole of its memory after every request.
    static let smallRequestBytesMax = 1024

    /// Bytes of memory of that parser. Half of it holds the bytes that are read. The rest holds a
    /// record of 64 bytes for each header, and the head of an answer.
    static let smallParserBytes = 4 * 1024

    /// Bytes of memory of the parser for heads of `headBytesMax` bytes. Half of it may hold the
    /// bytes that are read. The other half has a record of 64 bytes for each of `headersMax`
    /// headers.
    static func parserBytes(for headBytesMax: Int) -> Int { 2 * headBytesMax + 32 * 1024 }

    /// Steps of having libmicrohttpd read a head.
    static let parserSteps = 4

    /// Bytes of the extensions of chunks, and of trailers, of one body; no client is known to send any.
    static let chunkWordsBytesMax = 4 * 1024

    /// Runs of libmicrohttpd within which it has read a request that is there whole. It takes one
    /// run each for a new connection, the headers, and a body that is larger than its buffer.
    static let parserRunsMax = 64

    /// Answers of libmicrohttpd, of some 70 bytes each, that are left in the kernel before they are
    /// read and thrown away. The kernel takes twice as many.
    static let parserAnswersMax = 64

    /// Sockets whose next request has begun that are served in the order in which they came,
    /// without a line for each user. The share of arrivals has room for as many.
    static let arrivalsWithoutLinesMax = 10

    /// Steps of a request or a message that has nothing in it.
    static let requestSteps = 4

    /// Bytes of a target that make a step. That is about one pattern, which is read, judged and
    /// waited for.
    static let targetBytesPerStep = 8

    /// Bytes of a body that make a step: it is copied a few times, and read once.
    static let bodyBytesPerStep = 512

    /// Connections accepted from one listener before a loop looks at anything else. Another loop
    /// may have time for more.
    public static let acceptsPerTurnMax = 64

    /// Milliseconds for which accepting pauses when no descriptor or memory is free.
    ///
    /// Long enough not to spin, short beside the second in which a person notices.
    public static let acceptPauseMilliseconds: UInt64 = 100

    /// Milliseconds between two lines in the log about accepting being paused.
    public static let acceptWarningMilliseconds: UInt64 = 10_000

    /// Seconds after which a peer that reads no byte of its waiting answer is given up.
    public static let sendProgressSeconds = 30

    /// Seconds for which a peer is still read after the last byte was sent to it, so that it gets
    /// its answer.
    public static let lingerSeconds = 2

    /// Bytes of unwanted input that are read at one time and thrown away.
    public static let lingerReadBytes = 256 * 1024

    /// The least bytes that make a request: `GET / HTTP/1.0` and two line ends.
    public static let requestBytesMin: UInt64 = 16

    /// Heads that a loop knows without parsing them, in sets of eight. With 29 recorded kinds of
    /// clients and two requests each, 32 heads in sets of four knew 81 % of the publishes, and
    /// these know 92 %.
    ///
    /// Heads that differ in topic, length or cursor alone count as one, so that each kind of client
    /// has one or two. With `keptHeadBytesMax` a loop keeps some 200 KiB at the very most.
    static let knownHeadsMax = 128

    /// Bytes of a request's line and headers that are kept to know others by.
    ///
    /// Clients' polls and publishes have 60 to 400; a longer head is parsed each time.
    static let keptHeadBytesMax = 1024

    /// Milliseconds that a request may wait for its body before its head is taken alone. Behind a
    /// separate send on this machine a body comes within a millisecond.
    static let bodyAwaitedMilliseconds: UInt64 = 20

    /// Heads of one connection that are learned, less those that were known. A client that has sent
    /// as many different ones goes on to do so, and learning costs more than parsing.
    static let unknownHeadsMax: UInt8 = 5

    /// Bytes of the one buffer in which a loop reads WebSockets, and looks at the bytes that have
    /// arrived. If a request with its body has as many, its head is taken alone.
    ///
    /// A message of a WebSocket seldom has more, and one that lies whole in the buffer is not
    /// copied. TCP holds twice as many bytes of a request that nobody has begun to read, on a
    /// machine with the kernel's defaults. A request that does not fit there never comes whole.
    static let receiveBufferBytes = 32 * 1024

    /// Bodies up to this many bytes are written in one piece with their head.
    ///
    /// Copying so little costs less than to have the kernel gather two pieces.
    static let joinedBodyBytesMax = 1024

    /// Bytes of answers that a turn of a loop gathers before it sends them.
    static let outboxBytesMax = 16 * 1024

    /// The fraction of the memory budget that bodies on their way in may take together; beyond it
    /// requests with a body are answered 503.
    public static let bodiesMemoryFraction = 4

    /// The fraction of the memory budget that unsent answers may take together; beyond it the
    /// connections longest without progress are closed.
    public static let unsentMemoryFraction = 4

    /// Milliseconds for which a loop that found no connection to close for memory's sake does not
    /// look again.
    public static let shedIntervalMilliseconds: UInt64 = 100

    /// Milliseconds without a byte read after which a connection may be closed because others wait for
    /// room for their answers.
    ///
    /// A client on the same machine that reads takes its bytes within some milliseconds; one that is
    /// held up for a moment is spared.
    public static let stalledMilliseconds: UInt64 = 1_000

    /// Bytes from which on a block comes from the system by itself. It is glibc's own first
    /// threshold.
    public static let mappedBlockBytesMin = 128 * 1024

    /// Free bytes that a heap keeps at its end: not so few that each burst takes them anew.
    public static let keptHeapBytesMax = 1024 * 1024

    /// Bytes that a stream may write in one turn of its loop, each write counted with
    /// `streamWriteCostBytes` besides; then others have theirs.
    ///
    /// Four pieces of 64 KiB: enough that turns cost nothing beside the copying, and well under a
    /// millisecond for which all other connections wait.
    public static let streamBytesPerTurnMax = 256 * 1024

    /// The cost of a write of any size for a loop, in bytes that the kernel copies meanwhile.
    public static let streamWriteCostBytes = 4 * 1024

    /// Bytes read of one WebSocket in one turn of its loop, give or take one reading; then others
    /// have theirs.
    public static let webSocketBytesPerTurnMax = 256 * 1024

    /// Messages and control frames taken of one WebSocket in one turn of its loop.
    ///
    /// A frame has 6 bytes at least, and publishing one takes microseconds: bytes alone would let
    /// one client hold a loop for a second.
    public static let webSocketEventsPerTurnMax = 64

    /// Seconds in which a WebSocket's peer must answer a close.
    ///
    /// Libraries answer at once; a page in the background of a browser may take a second or two.
    public static let webSocketCloseSeconds = 5

    /// Milliseconds in which it must do so while the server drains. The peer has been told, and
    /// nobody is served until the last one is gone.
    public static let webSocketDrainCloseMilliseconds = 1000
}
