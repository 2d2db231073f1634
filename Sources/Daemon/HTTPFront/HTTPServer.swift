internal import Protection
public import Telemetry

/// An HTTP/1.1 server on TCP and unix sockets: event loops that call one handler each.
///
/// Does not touch signals, limits or the environment. Several may run in one process.
///
/// Safe from any thread.
public final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running([LoopThread], [ListeningSocket])
        case ended([LoopMeters])
    }

    private let configuration: HTTPServerConfiguration
    private let log: Log
    private let memory: MemoryBudget
    private let makeHandler: RequestHandlerMaker
    private let turnClock: (@Sendable () -> Int)?
    private let state = Protected(State.idle)
    private let drainBegan = Protected(false)
    private let lost = LostSockets()
    private let openConnections = Gauge()
    let accounts = CallerAccounts()

    /// A server that is not running yet.
    ///
    /// - Parameters:
    ///   - memory: The budget that counts bodies on their way in and unsent answers.
    ///   - makeHandler: Called once on each loop's thread, before the loop's first request. The
    ///     handler that it returns stays on that thread.
    public convenience init(
        configuration: HTTPServerConfiguration, log: Log, memory: MemoryBudget,
        makeHandler: @escaping RequestHandlerMaker
    ) {
        self.init(
            configuration: configuration, log: log, memory: memory,
            turnClock: nil, makeHandler: makeHandler)
    }

    /// The same with another clock, in microseconds, that measures how long turns last. Every loop
    /// reads it.
    init(
        configuration: HTTPServerConfiguration, log: Log, memory: MemoryBudget,
        turnClock: (@Sendable () -> Int)?, makeHandler: @escaping RequestHandlerMaker
    ) {
        self.configuration = configuration
        self.log = log
        self.memory = memory
        self.turnClock = turnClock
        self.makeHandler = makeHandler
    }

    deinit {
        stop()
    }

    /// Opens the listeners and starts the loops; called once.
    ///
    /// Connections are taken from the moment it returns, and served as soon as the loops' handlers
    /// are made.
    ///
    /// - Returns: The addresses at which the server is reached, with the ports that were picked.
    /// - Throws: An error if an address, a descriptor or a thread cannot be had; then nothing runs
    ///   and nothing is left open.
    public func start() throws(ServerError) -> [BoundAddress] {
        precondition(
            (1...HTTPFrontLimits.loopsMax).contains(configuration.loops),
            "a server has 1 to \(HTTPFrontLimits.loopsMax) loops, not \(configuration.loops)")
        precondition(
            HTTPFrontLimits.headerBytesRange.contains(configuration.headerBytesMax),
            "heads may have \(HTTPFrontLimits.headerBytesRange) bytes")
        precondition(isIdle, "a server is started once")
        var listeners: [ListeningSocket] = []
        var threads: [LoopThread] = []
        do throws(ServerError) {
            for address in configuration.listen {
                if let listener = try ListeningSocket.open(
                    address, sendBufferBytes: configuration.socketSendBufferBytes)
                {
                    listeners.append(listener)
                }
            }
            threads = try startLoops(listeners)
        } catch {
            for listener in listeners { listener.removeFile() }
            throw error
        }
        let addresses = listeners.map(\.address)
        state.value = .running(threads, listeners)
        return addresses
    }

    /// Takes over names, origins, deadlines and the numbers of connections, each loop at its next
    /// turn. All other settings have to be as they were at the start.
    ///
    /// Connections beyond a lower limit stay. Deadlines that run already are kept.
    public func reconfigure(_ configuration: HTTPServerConfiguration) {
        let settings = LoopSettings(
            configuration, openConnections: openConnections, accounts: accounts)
        for thread in running { thread.mailbox.post(.settings(settings)) }
    }

    /// Makes each of these loops call `echo` with its index. A loop does so in its next turn,
    /// unless it hangs. Once the server drains, no loop is asked any more, and `echo` may never be
    /// called.
    public func askLoops(_ indices: Set<Int>, _ echo: @escaping @Sendable (Int) -> Void) {
        for (index, thread) in running.enumerated() where indices.contains(index) {
            thread.mailbox.post(.job { _ in echo(index) })
        }
    }

    /// Looks whether the files of unix sockets that were opened here are still theirs, and binds
    /// anew those that were removed. To be called about once a second, on one thread at a time.
    ///
    /// Another file at such a path stays, and nothing is bound as long as it does. Sockets that were
    /// handed over are left alone. Each change is logged once.
    ///
    /// - Parameter makeFolders: Called before a socket is bound.
    public func mendSockets(makeFolders: () -> Void) {
        guard case .running(let threads, let listeners) = state.value else { return }
        for old in listeners {
            guard let new = lost.look(at: old, log, makeFolders) else { continue }
            let isRunning = state.write { state in
                guard case .running(let threads, let listeners) = state else { return false }
                state = .running(threads, listeners.map { $0 === old ? new : $0 })
                return true
            }
            // A drain has begun meanwhile, which removes the files that it knows.
            guard isRunning else { return new.removeFile() }
            for thread in threads { thread.mailbox.post(.listener(new, insteadOf: old)) }
        }
    }

    /// Makes each loop call `tell` with an inventory of its connections, on its own thread.
    public func takeInventory(_ tell: @escaping @Sendable (LoopInventory) -> Void) {
        for thread in running { thread.mailbox.post(.inventory(tell)) }
    }

    /// The accounts of users that hold anything, each with its number of connections; most
    /// connections first.
    public var callers: [(account: CallerAccount, connections: Int)] {
        accounts.all.sorted { $0.connections > $1.connections }
    }

    private var running: [LoopThread] {
        if case .running(let threads, _) = state.value { threads } else { [] }
    }

    /// Answers the open requests and ends. Blocks until all is done, or the time is up.
    ///
    /// First, the requests that had arrived whole when this was called are handled as always. Then
    /// `refuse` is called, once, on the calling thread. So whether a request is answered or refused
    /// depends on when it came, not on how busy the loops are. That takes half of the time at most.
    ///
    /// After that, no new connections are taken. Listeners that were opened here close; ones that
    /// were handed over stay open for a successor, unaccepted. Each handler's `drain` is called,
    /// every answer closes its connection, and idle connections are closed. Connections that are
    /// left at the end of the time are closed without an answer.
    ///
    /// A second call does nothing and waits for nothing. Not to be called on a loop's thread.
    public func drain(within limit: Duration, refuse: () -> Void = {}) {
        let milliseconds = max(
            0,
            limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000)
        let isFirst =
            !isIdle
            && drainBegan.write { began in
                defer { began = true }
                return !began
            }
        guard isFirst else { return }
        let due = MonotonicClock.milliseconds() + UInt64(milliseconds)
        handleArrivals(within: milliseconds / 2)
        refuse()
        let threads = letGoOfListeners()
        for thread in threads { thread.mailbox.post(.drain(until: due)) }
        for thread in threads { thread.join() }
    }

    private func handleArrivals(within milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        let until = MonotonicClock.milliseconds() + UInt64(milliseconds)
        let wakeUp = WakeUp()
        let threads = running
        for thread in threads {
            thread.mailbox.post(.arrivals(until: until) { wakeUp.signal() })
        }
        for _ in threads {
            // A loop that hangs never signals.
            let left = Int64(until) - Int64(MonotonicClock.milliseconds())
            guard left > 0, wakeUp.wait(milliseconds: Int32(left)) else { return }
        }
    }

    /// Ends at once, and closes all open connections.
    public func stop() {
        drain(within: .zero)
    }

    /// The meters of each loop; empty before the start.
    public var loops: [LoopMeters] {
        switch state.value {
        case .idle: []
        case .running(let threads, _): threads.map(\.meters)
        case .ended(let meters): meters
        }
    }

    /// The numbers of connections and requests that the server holds at this moment.
    public var census: ServerCensus {
        var census = ServerCensus()
        for meters in loops {
            census.connections += meters.connections.value
            census.parked += meters.parked.value
            census.pending += meters.pending.value
        }
        return census
    }

    /// Leaves the listeners to the loops, the last of which closes them. Returns the loops to end;
    /// none if that was done before.
    private func letGoOfListeners() -> [LoopThread] {
        let running = state.write { state -> ([LoopThread], [ListeningSocket])? in
            guard case .running(let threads, let listeners) = state else { return nil }
            state = .ended(threads.map(\.meters))
            return (threads, listeners)
        }
        guard let (threads, listeners) = running else { return [] }
        for listener in listeners { listener.removeFile() }
        return threads
    }

    private var isIdle: Bool {
        if case .idle = state.value { true } else { false }
    }

    private func startLoops(_ listeners: [ListeningSocket]) throws(ServerError) -> [LoopThread] {
        let settings = LoopSettings(
            configuration, openConnections: openConnections, accounts: accounts)
        var loops: [EventLoop] = []
        for index in 0..<configuration.loops {
            loops.append(
                try EventLoop(
                    index: index, settings: settings, listeners: listeners, meters: LoopMeters(),
                    memory: memory, log: log, turnClock: turnClock))
        }
        var threads: [LoopThread] = []
        do throws(ServerError) {
            for loop in loops { threads.append(try LoopThread(running: loop, makeHandler)) }
        } catch {
            let now = MonotonicClock.milliseconds()
            for thread in threads { thread.mailbox.post(.drain(until: now)) }
            for thread in threads { thread.join() }
            throw error
        }
        return threads
    }
}

/// The numbers of connections and requests that a server holds, over all loops.
///
/// Each number is right by itself. While the loops run, the numbers may belong to different
/// moments.
public struct ServerCensus: Sendable, Equatable {
    /// Connections that are open, in any phase.
    public var connections = 0
    /// Connections that are parked: waits, streams and WebSockets.
    public var parked = 0
    /// Requests that await their answer though nothing is parked.
    public var pending = 0
}
