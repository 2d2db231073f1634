internal import CMicroHTTPD
internal import Glibc

/// One libmicrohttpd daemon in external mode: parses the requests of the sockets it is given and
/// writes short answers. Owns the daemon; `stop` ends it.
///
/// It is driven by `run` alone, whose waits are all of length zero: libmicrohttpd's own waiting
/// stalls with exactly 128 ready events (0.9.75 to 1.0.1). Confined to its loop's thread.
final class Parser {
    private let daemon: OpaquePointer
    private var isStopped = false
    /// Whether there is work that the descriptor does not show.
    private var isWoken = false
    /// Requests that the last run began.
    private var requestsOfRun = 0

    /// What to wait on; readable when `run` has something to do.
    let descriptor: Int32

    /// The connection that is being given to the daemon at this moment.
    private var connectionBeingAdded: Connection?

    /// Connections in the daemon.
    private(set) var connectionCount = 0

    /// Starts a daemon whose callbacks go to `loop`, which must outlive it.
    init(
        for loop: EventLoop, connectionsMax: Int, memoryBytes: Int, timeoutSeconds: Int
    ) throws(ServerError) {
        let started = belfry_mhd_start(
            ParserThunks.context(of: loop), ParserThunks.request, ParserThunks.requestLine,
            ParserThunks.unescape, ParserThunks.completed, ParserThunks.connection,
            UInt32(connectionsMax), memoryBytes, UInt32(timeoutSeconds),
            ParserLibrary.loaded.queuesAddedConnections ? 1 : 0)
        guard let started else { throw ServerError(doing: "starting libmicrohttpd") }
        daemon = started
        descriptor = belfry_mhd_epoll(started)
    }

    deinit {
        assert(isStopped, "a parser is stopped by its loop")
    }

    /// Gives a socket to the daemon, which owns it from now on, closes it in every case, and reads
    /// it at the next `run`.
    ///
    /// - Returns: False when the daemon has refused and closed it.
    func add(_ connection: Connection) -> Bool {
        isWoken = true
        connectionBeingAdded = connection
        defer { connectionBeingAdded = nil }
        // It is told no address: nothing of it is used, and none can be too long for it.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        let size = socklen_t(MemoryLayout<sockaddr>.size)
        return MHD_add_connection(daemon, connection.descriptor, &address, size) == .YES
    }

    /// Does what there is to do, without waiting; nothing once stopped.
    func run() {
        isWoken = false
        requestsOfRun = 0
        if !isStopped { MHD_run(daemon) }
    }

    /// Makes `run` due at once.
    func wake() { isWoken = true }

    /// Milliseconds after which `run` is due without an event: 0 for now, nil for never.
    var dueMilliseconds: UInt64? {
        if isStopped { return nil }
        if isWoken { return 0 }
        let timeout = belfry_mhd_timeout(daemon)
        return timeout < 0 ? nil : UInt64(timeout)
    }

    /// Whether the next run brings one request at most, as far as can be known before.
    var expectsOneRequest: Bool { !isWoken || connectionCount == 1 || requestsOfRun <= 1 }

    /// The daemon has taken a socket over: that of the connection that is being given to it.
    func entered() -> Connection? {
        guard let connectionBeingAdded else { return nil }
        connectionCount += 1
        return connectionBeingAdded
    }

    /// The daemon closes a socket next.
    func left() { connectionCount -= 1 }

    /// The daemon has read the line of a request.
    func requestBegan() { requestsOfRun += 1 }

    /// Ends the daemon and closes its connections, none of which may be suspended (it would abort
    /// the process).
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        MHD_stop_daemon(daemon)
    }
}
