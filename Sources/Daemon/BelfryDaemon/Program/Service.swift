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
