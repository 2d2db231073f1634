internal import About
internal import Access
internal import Broadcasting
internal import BusAPI
public import HTTPFront
internal import Protection
internal import SQLiteStore
public import Telemetry
internal import Topics
internal import Work

/// The bus with everything around it: store, log and HTTP, put together, started in order and
/// stopped in reverse.
///
/// Touches no signal, limit or environment and takes everything by its initialiser, so that it
/// runs inside any process, several at a time. `Service` adds the other parts of a program.
///
/// Does not promise to survive a failed `start`: make another one.
///
/// Safe from any thread, but `start` and `drain` are each called once, in this order.
public final class Daemon: Sendable {
    private let locations: ResolvedLocations
    private let administrator: UInt32
    private let log: Log
    private let groups = GroupDirectory()
    private let trimmer = MemoryTrimmer()
    private let state: Protected<State>
    let accessLog: AccessLog

    private struct State {
        var configuration: Configuration
        var parts: Parts?
    }

    /// The running parts.
    private struct Parts {
        let bus: EventBus
        let work: WorkGroups
        let service: BusService
        let server: HTTPServer
        let sweeper: PeriodicThread
        let memory: MemoryBudget
        let liveness: Liveness
    }

    /// A daemon that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: All settings but its addresses and the place of its state.
    ///   - locations: Its addresses and the place of its state.
    ///   - administrator: The uid that may administer every topic, as root may.
    public init(
        configuration: Configuration, locations: ResolvedLocations, administrator: UInt32, log: Log
    ) {
        self.locations = locations
        self.administrator = administrator
        self.log = log
        accessLog = AccessLog(log: log)
        state = Protected(State(configuration: configuration))
    }

    /// Makes the folders, opens the store, and serves.
    ///
    /// - Returns: The addresses at which the bus is reached, with the ports that were picked.
    /// - Throws: An error about the part that could not be had. Then nothing runs and nothing is
    ///   left locked or open.
    public func start() throws(DaemonError) -> [BoundAddress] {
        let configuration = state.value.configuration
        let memory = MemoryBudget(bytesMax: configuration.memoryBytesMax)
        let (bus, store) = try makeBus(configuration, memory)
        do throws(DaemonError) {
            return try serve(bus, store, configuration, memory)
        } catch {
            accessLog.close()
            bus.close()
            throw error
        }
    }

    /// Takes over the settings of a configuration that can change while the daemon runs.
    ///
    /// - Returns: The keys that differ and need a restart; they keep their old values.
    public func reload(_ new: Configuration) -> [ConfigurationKey] {
        let old = state.read { $0.configuration }
        let changed = ConfigurationKey.all.filter { $0.values(old) != $0.values(new) }
        let (configuration, parts) = state.write { state in
            // All of them: the content of a tokens file changes while its name stays.
            for key in ConfigurationKey.all where key.isLive {
                key.copy(new, &state.configuration)
            }
            return (state.configuration, state.parts)
        }
        log.level = configuration.logLevel
        groups.reset(isNeeded: AccessRules(configuration.access.rules).needGroups)
        warn(of: configuration.access)
        if let parts { apply(configuration, to: parts) }
        return changed.filter { !$0.isLive }
    }

    private func apply(_ configuration: Configuration, to parts: Parts) {
        parts.memory.bytesMax = configuration.memoryBytesMax
        parts.bus.reconfigure(
            limits: limits(configuration), defaults: configuration.retention,
            autocreate: configuration.autocreate)
        parts.work.reconfigure(limits: limits(ofWork: configuration.work))
        parts.service.reload(api(configuration))
        do throws(DaemonError) {
            try accessLog.use(configuration.accessLog)
        } catch {
            log.error("the access log stays where it was: \(error)")
        }
        do throws(DaemonError) {
            parts.server.reconfigure(try http(configuration))
        } catch {
            log.error("the settings of http stay as they were: \(error)")
        }
    }

    /// How the daemon does: for a supervisor that restarts a daemon that hangs, and for people.
    ///
    /// Looks at the progress since the last call, so that calls have to be some seconds apart.
    /// While it drains, which is bounded by itself, nothing counts as hanging.
    public func vitals() -> Vitals {
        guard let parts = state.read({ $0.parts }) else { return Vitals(summary: "", hanging: []) }
        let statistics = parts.bus.statistics
        var summary =
            "\(statistics.topics) topics, \(statistics.retained) events, "
            + "\(statistics.subscribers) subscribers"
        if case .refusing(let reason) = parts.bus.readiness { summary += "; \(reason)" }
        return Vitals(summary: summary, hanging: parts.liveness.check())
    }

    /// Runs something on a loop's thread, for as long as it takes; only tests do.
    func occupyLoop(_ index: Int, _ work: @escaping @Sendable () -> Void) {
        state.read { $0.parts }?.server.askLoops([index]) { _ in work() }
    }

    /// Publishes an event, and runs something where the store tells of its commit; only tests do.
    func occupyStore(_ work: @escaping @Sendable () -> Void) throws {
        let batch = PublishBatch(topic: try TopicName("t"), payloads: [.empty])
        state.read { $0.parts }?.bus.publish(batch) { _ in work() }
    }

    /// Logs the state of the daemon, without payloads. Each loop adds its own lines when it comes
    /// to it.
    public func report() {
        let (parts, configuration) = state.read { ($0.parts, $0.configuration) }
        guard let parts else { return }
        let report = StateReport(
            bus: parts.bus, service: parts.service, server: parts.server, memory: parts.memory,
            configuration: configuration, store: locations.storeName(configuration.store))
        for line in report.lines { log.notice("state: \(line)") }
        parts.server.takeInventory { [log] inventory in
            log.notice("state: loop \(inventory.index) has connections \(inventory)")
        }
    }

    /// Takes nothing new, answers everybody who waits, and ends; blocks until that is done or
    /// `drain_seconds` are over. A second call, and one before `start`, does nothing.
    public func drain() {
        let (parts, seconds) = state.write { state in
            defer { state.parts = nil }
            return (state.parts, state.configuration.drainSeconds)
        }
        guard let parts else { return }
        parts.server.drain(within: .seconds(seconds)) {
            parts.bus.drain()
            // Before the loops, so that a worker that waits is answered as if there was no job.
            parts.work.drain()
        }
        parts.sweeper.stop()
        accessLog.close()
        parts.bus.close()
    }

    private func serve(
        _ bus: EventBus, _ store: any EventStore, _ configuration: Configuration,
        _ memory: MemoryBudget
    ) throws(DaemonError) -> [BoundAddress] {
        groups.reset(isNeeded: AccessRules(configuration.access.rules).needGroups)
        warn(of: configuration.access)
        let users: UserGroups = { [groups] uid in groups.knownGroups(of: uid) }
        let api = api(configuration)
        // Letters of before are judged from the first one on, which is before anything is served.
        let work = WorkGroups(
            on: bus, limits: limits(ofWork: configuration.work),
            letters: LetterJudge(api.access, users).verdict(on:), log: log)
        let settings = try http(configuration)
        let service = BusService(
            bus: bus, groups: work, configuration: api, prefix: settings.prefix, memory: memory,
            log: log, users: users)
        try accessLog.use(configuration.accessLog)
        let server = HTTPServer(
            configuration: settings, log: log, memory: memory,
            makeHandler: { BusHandler(of: service, on: $0, within: $1) })
        for directory in locations.socketDirectories { try Directory.make(directory, mode: 0o755) }
        // Before the server, so that one that has no thread fails while nothing is served yet.
        let sweeper = try PeriodicThread(everyMilliseconds: Limits.sweepMilliseconds) {
            [trimmer, locations] in
            bus.sweep()
            work.sweep()
            if memory.excess > 0 { bus.relieve() }
            trimmer.look(at: memory.used)
            server.mendSockets {
                for folder in locations.socketDirectories {
                    try? Directory.make(folder, mode: 0o755)
                }
            }
        }
        let addresses: [BoundAddress]
        do {
            addresses = try server.start()
        } catch {
            throw DaemonError(detail: error.detail, isAddressTaken: error.isAddressTaken)
        }
        warn(of: addresses)
        // Weak: the server makes its handlers by the service.
        service.addFigures { [weak server] page in server?.write(to: &page) }
        let stored = store as? SQLiteStore
        service.addFigures { [bus, weak server] page in
            page.write(
                bus.tasks.all + (stored?.tasks ?? []) + (server?.loops.flatMap(\.tasks) ?? []))
        }
        if let stored { service.addFigures(stored.write(to:)) }
        service.addFigures(ProcessFigures().write(to:))
        service.addFigures { [dropped = accessLog.dropped] page in
            page.counter(
                "belfry_access_log_dropped_total",
                "Requests missing from the access log, because nobody took their lines in time.",
                dropped.value)
        }
        service.addFigures { [dropped = log.dropped] page in
            page.counter(
                "belfry_log_dropped_total",
                "Lines missing from the log, because nobody took them in time.", dropped.value)
        }
        state.write {
            $0.parts = Parts(
                bus: bus, work: work, service: service, server: server, sweeper: sweeper,
                memory: memory,
                liveness: Liveness(server: server, bus: bus))
        }
        return addresses
    }

    private func makeBus(
        _ configuration: Configuration, _ memory: MemoryBudget
    ) throws(DaemonError) -> (EventBus, any EventStore) {
        if let directory = locations.stateDirectory { try Directory.make(directory, mode: 0o700) }
        let ceiling: IDCeiling?
        do {
            ceiling = try locations.stateDirectory.map { (path) throws(StoreError) in
                try IDCeiling(directory: path)
            }
        } catch {
            let key = ConfigurationKey.named("store.state_directory")
            throw DaemonError(
                detail: "\(error.detail). A second bus needs a folder and addresses of its own: "
                    + "\(key.variable)=FOLDER belfryd --listen 127.0.0.1:PORT")
        }
        warn(ofFoldersFor: configuration.store)
        let store = store(configuration, ceiling)
        do {
            let bus = try EventBus(
                store: store, limits: limits(configuration),
                defaults: configuration.retention, autocreate: configuration.autocreate,
                memory: memory, broadcaster: Broadcaster(), log: log)
            return (bus, store)
        } catch {
            throw DaemonError(detail: error.detail)
        }
    }

    private func store(
        _ configuration: Configuration, _ ceiling: IDCeiling?
    ) -> any EventStore {
        guard let path = locations.storePath(configuration.store) else {
            return MemoryStore(ceiling: ceiling)
        }
        return SQLiteStore(
            SQLiteStoreConfiguration(
                path: path, sync: configuration.storeSync,
                sizeBytesMax: configuration.storeBytesMax,
                tombstonesMax: configuration.limits.tombstonesMax),
            ceiling: ceiling, log: log)
    }

    private func limits(_ configuration: Configuration) -> BusLimits {
        var limits = configuration.limits
        limits.topicsPerUIDMax =
            configuration.topicsPerUID ?? Configuration.share(of: limits.topicsMax)
        return limits
    }

    private func limits(ofWork work: Configuration.GroupBounds) -> WorkLimits {
        var limits = WorkLimits()
        limits.groupsMax = work.groupsMax
        limits.openMax = work.openMax
        limits.openPerGroupMax = work.openPerGroupMax
        limits.parkedMax = work.parkedMax
        limits.parkedPerGroupMax = work.parkedPerGroupMax
        return limits
    }

    private func api(_ configuration: Configuration) -> BusAPIConfiguration {
        BusAPIConfiguration(
            waitMax: configuration.poll.waitMax, waitDefault: configuration.poll.waitDefault,
            heartbeat: configuration.stream.heartbeat,
            subscribersMax: configuration.poll.subscribersMax,
            subscribersPerUIDMax: configuration.poll.subscribersPerUID
                ?? Configuration.share(of: configuration.poll.subscribersMax),
            subscribersPerTopicMax: configuration.poll.subscribersPerTopic,
            queuedBytesPerUIDMax: configuration.commitQueueBytesPerUID
                ?? Configuration.share(of: configuration.limits.commitQueueBytesMax),
            eventBytesMax: configuration.limits.eventBytesMax,
            access: configuration.access.policy(administrator: administrator),
            metricsTopics: configuration.metrics.selector,
            showsPage: configuration.http.showsPage, version: Version.number)
    }

    private func http(_ configuration: Configuration) throws(DaemonError) -> HTTPServerConfiguration
    {
        let http = configuration.http
        var server = HTTPServerConfiguration(listen: locations.listen)
        server.loops = http.loops
        server.headerSeconds = http.headerSeconds
        server.bodySeconds = http.bodySeconds
        server.idleSeconds = http.idleSeconds
        server.sendProgressSeconds = http.sendSeconds
        server.connectionsMax = http.connectionsMax
        server.connectionsPerUIDMax =
            http.connectionsPerUID ?? Configuration.share(of: http.connectionsMax)
        server.headerBytesMax = http.headerBytesMax
        server.peerGroups = SystemGroups(directory: groups)
        server.accessSink = configuration.accessLog == .none ? nil : accessLog
        do {
            server.hosts = try HostPolicy(
                allowing: http.hosts, checks: ["healthz", "readyz", "metrics"])
            if let prefix = http.prefix { server.prefix = try PathPrefix(prefix) }
            server.origins = try OriginPolicy(
                allowing: http.origins, reading: http.originsRead,
                exposing: WireHeaders.exposed)
        } catch {
            throw DaemonError(detail: error.detail)
        }
        return server
    }

    private func warn(of access: Configuration.AccessControl) {
        for warning in access.warnings { log.warning(warning) }
    }

    private func warn(ofFoldersFor store: Configuration.Store) {
        var folders = [locations.stateDirectory]
        if case .sqlite(let path?) = store, let slash = path.lastIndex(of: "/") {
            folders.append(String(path[...slash]))
        }
        for case let folder? in folders {
            if let warning = Directory.warning(of: folder) { log.warning(warning) }
        }
    }

    private func warn(of addresses: [BoundAddress]) {
        for case .tcp(let address) in addresses where !address.isLoopback {
            log.warning(
                "\(address) is reachable from other machines, whose users the bus cannot tell apart"
            )
        }
    }
}
