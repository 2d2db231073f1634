internal import CSystemd
internal import Glibc
internal import HTTPFront
internal import Protection
internal import Telemetry

/// The daemon as the program runs it: under signals, with systemd told, until somebody stops it.
///
/// Used once, by the program's first thread before there are others.
public struct Service {
    private let options: CommandLineOptions
    private let environment: [String: String]
    private let uid: UInt32
    private let filesMax: Int
    private let log: Log
    private let writer: LogWriter
    private let notifier = SystemdNotifier()

    /// A service for a user, configured by a command line and an environment, that may have so many
    /// files open.
    public init(
        options: CommandLineOptions, environment: [String: String], uid: UInt32, filesMax: Int,
        writer: LogWriter
    ) {
        self.options = options
        self.environment = environment
        self.uid = uid
        self.filesMax = filesMax
        self.writer = writer
        log = writer.log
    }

    /// Starts the daemon, serves until SIGTERM or SIGINT, and drains it.
    public func run() -> ExitCode {
        let signals = SignalWatcher()
        defer { writer.finish() }
        do {
            return try serve(until: signals)
        } catch let error as ConfigurationProblems {
            for line in error.lines { log.error(line) }
            return .usage
        } catch let error as DaemonError where error.isAddressTaken {
            log.error("cannot start: \(error): end it, or give another address by --listen")
            return .failure
        } catch {
            log.error("cannot start: \(error)")
            return .failure
        }
    }

    private func serve(until signals: SignalWatcher) throws -> ExitCode {
        let configuration = try Configuration(options: options, environment: environment)
        log.level = configuration.logLevel
        if configuration.http.connectionsMax > filesMax - Limits.filesBesideConnections {
            log.warning(
                """
                http.connections is \(configuration.http.connectionsMax), but only \(filesMax) files \
                may be open: raise the limit (LimitNOFILE=, ulimit -n), or lower the key
                """)
        }
        DescriptorTable.makeRoom(
            for: min(
                filesMax, configuration.http.connectionsMax + Limits.filesBesideConnections))
        let locations = try ResolvedLocations(
            configuration, in: RuntimeEnvironment(environment: environment, uid: uid),
            handedOver: InheritedSockets.take())
        if locations.isHandedOver, configuration.listen != Configuration().listen {
            log.warning(Self.listenIsUnused)
        }
        try writer.start()
        let daemon = Daemon(
            configuration: configuration, locations: locations, administrator: uid, log: log)
        let bound = try daemon.start()
        let addresses = bound.map(\.description).joined(separator: " ")
        log.notice("ready \(addresses) store=\(locations.storeName(configuration.store))")
        if configuration.http.showsPage, let page = bound.lazy.compactMap(\.page).first {
            let prefix = configuration.http.prefix.map { "\($0.dropFirst())/" } ?? ""
            log.notice("the page for browsers is at \(page)\(prefix)")
        }
        notifier.ready(addresses)

        let reporter = try reporter(on: daemon, at: addresses)

        serving: while true {
            switch signals.next() {
            case .stop: break serving
            case .report: daemon.report()
            case .reload:
                notifier.reloading()
                reload(daemon, at: locations)
                notifier.ready(addresses)
            }
        }

        signals.takeRepetitions()
        // Before all that could wait.
        signals.endProcess(onNextStopWith: .cutShort)
        notifier.stopping()
        log.notice("stopping: answering waiting requests; another signal ends it at once")
        daemon.drain()
        reporter.stop()
        log.notice("stopped")
        return .success
    }

    /// Tells systemd how the daemon does, and that it lives as long as it does.
    private func reporter(on daemon: Daemon, at addresses: String) throws(DaemonError)
        -> PeriodicThread
    {
        let watchdog = notifier.watchdogMicroseconds.map { Int($0 / 1_000) } ?? .max
        let pause = min(Limits.vitalsMilliseconds, max(1, watchdog / Limits.vitalsInWatchdog))
        let hung = Protected<[String]>([])
        return try PeriodicThread(everyMilliseconds: pause) { [notifier, log] in
            let vitals = daemon.vitals()
            let before = hung.write { hung in
                defer { hung = vitals.hanging }
                return hung
            }
            if before != vitals.hanging {
                if vitals.hanging.isEmpty {
                    log.notice("everything moves again")
                } else {
                    log.error("hangs: \(vitals.hanging.joined(separator: ", "))")
                }
            }
            notifier.tell(vitals, at: addresses)
        }
    }

    private static let listenIsUnused = """
        listen.* is not used: systemd passed the sockets; see `systemctl edit belfryd.socket`
        """

    private func reload(_ daemon: Daemon, at locations: ResolvedLocations) {
        do {
            let configuration = try Configuration(options: options, environment: environment)
            let waiting = daemon.reload(configuration)
            log.notice("configuration reloaded")
            // With sockets of systemd not even a restart takes these over.
            let unused = locations.isHandedOver ? waiting.filter { $0.section == "listen" } : []
            if !unused.isEmpty { log.warning(Self.listenIsUnused) }
            for key in waiting where !unused.contains(where: { $0.path == key.path }) {
                log.warning("\(key.path) changes with a restart only")
            }
        } catch {
            log.error("configuration not reloaded, the old one stays:")
            for line in error.lines { log.error(line) }
        }
    }
}

/// The kernel's table of the descriptors of this process.
enum DescriptorTable {
    /// Gives the table room for so many descriptors, as far as the process may have them.
    ///
    /// To be called before there are other threads. The kernel doubles the table when it is full, and
    /// where threads share it the one that needs the room waits, some ten milliseconds, until no
    /// processor looks at the old table. That would be a loop that accepts a connection.
    static func makeRoom(for count: Int) {
        let last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, Int32(clamping: count - 1))
        if last >= 0 { close(last) }
    }
}

/// Listening sockets that systemd hands over (`sd_listen_fds(3)`).
public enum InheritedSockets {
    /// Takes them over and removes their variables from the environment, so that no child takes
    /// them for its own. Called once, before there are other threads.
    ///
    /// - Returns: the descriptors, in the order of the socket unit; none if it has none for us.
    /// - Throws: the descriptor that is no listening stream socket.
    public static func take() throws(DaemonError) -> [Int32] {
        let count = sd_listen_fds(1)
        guard count >= 0 else {
            throw DaemonError(
                detail: "the passed sockets cannot be used: \(Errno(-count))")
        }
        let first: Int32 = 3  // SD_LISTEN_FDS_START, a macro that Swift does not see
        let descriptors = Array(first..<first + count)
        for descriptor in descriptors
        where sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), 1) <= 0 {
            throw DaemonError(
                detail: "descriptor \(descriptor) was passed, but is not a listening stream "
                    + "socket: the socket unit needs ListenStream= alone")
        }
        return descriptors
    }
}
