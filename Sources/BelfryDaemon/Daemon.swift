internal import Broadcasting
internal import BusAPI
public import HTTPFront
internal import Protection
public import Telemetry
internal import Topics

/// The bus with everything around it: store, log and HTTP, put together, started in order and
/// stopped in reverse.
///
/// Touches no signal, limit or environment and takes everything by its initialiser, so that it
/// runs inside any process, several at a time; what a program has besides is `Service`.
///
/// Does not promise to survive a failed `start`: make another one.
///
/// Safe from any thread, but `start` and `drain` are each called once, in this order.
public final class Daemon: Sendable {
    private let placement: Placement
    private let administrator: UInt32
    private let log: Log
    private let state: Protected<State>

    private struct State {
        var configuration: Configuration
        var parts: Parts?
    }

    /// What runs.
    private struct Parts {
        let bus: EventBus
        let service: BusService
        let server: HTTPServer
        let sweeper: Sweeper
    }

    /// A daemon that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: Everything but where it is reached and keeps its state.
    ///   - placement: Where it is reached and keeps its state.
    ///   - administrator: The uid that may administer every topic, as root may.
    public init(
        configuration: Configuration, placement: Placement, administrator: UInt32, log: Log
    ) {
        self.placement = placement
        self.administrator = administrator
        self.log = log
        state = Protected(State(configuration: configuration))
    }

    /// Makes the folders, opens the store, and serves.
    ///
    /// - Returns: Where the bus is reached, with the ports that were picked.
    /// - Throws: What could not be had; then nothing runs and nothing is left locked or open.
    public func start() throws(DaemonError) -> [BoundAddress] {
        let configuration = state.value.configuration
        let memory = MemoryBudget(bytesMax: configuration.memoryBytesMax)
        let bus = try makeBus(configuration, memory)
        let service = BusService(
            bus: bus, configuration: api(configuration), memory: memory, log: log)
        let server = HTTPServer(
            configuration: try http(configuration), log: log, memory: memory,
            makeHandler: service.makeHandler(on:))
        for directory in placement.socketDirectories { try Directory.make(directory, mode: 0o755) }
        let addresses: [BoundAddress]
        do {
            addresses = try server.start()
        } catch {
            throw DaemonError(detail: error.detail)
        }
        warn(of: addresses)
        let sweeper = try Sweeper(every: Limits.sweepSeconds) {
            bus.sweep()
            if memory.excess > 0 { bus.relieve() }
        }
        state.write {
            $0.parts = Parts(bus: bus, service: service, server: server, sweeper: sweeper)
        }
        return addresses
    }

    /// Takes over what of a configuration can change while the daemon runs.
    ///
    /// - Returns: The keys that differ and need a restart; they keep their old values.
    public func reload(_ new: Configuration) -> [ConfigurationKey] {
        let old = state.read { $0.configuration }
        let changed = ConfigurationKey.all.filter { $0.values(old) != $0.values(new) }
        let (configuration, parts) = state.write { state in
            for key in changed where key.isLive { key.copy(new, &state.configuration) }
            return (state.configuration, state.parts)
        }
        log.level = configuration.logLevel
        parts?.service.reload(api(configuration))
        return changed.filter { !$0.isLive }
    }

    /// Takes nothing new, answers everybody who waits, and ends; blocks until that is done or
    /// `drain_seconds` are over. A second call, and one before `start`, does nothing.
    public func drain() {
        let (parts, seconds) = state.write { state in
            defer { state.parts = nil }
            return (state.parts, state.configuration.drainSeconds)
        }
        guard let parts else { return }
        parts.bus.drain()
        parts.server.drain(within: .seconds(seconds))
        parts.sweeper.stop()
    }

    private func makeBus(
        _ configuration: Configuration, _ memory: MemoryBudget
    ) throws(DaemonError) -> EventBus {
        if let directory = placement.stateDirectory { try Directory.make(directory, mode: 0o700) }
        do {
            let ceiling = try placement.stateDirectory.map { (path) throws(StoreError) in
                try IDCeiling(directory: path)
            }
            return try EventBus(
                store: MemoryStore(ceiling: ceiling), limits: configuration.limits,
                defaults: configuration.retention, autocreate: configuration.autocreate,
                memory: memory, broadcaster: Broadcaster(), log: log)
        } catch {
            throw DaemonError(detail: "\(error.detail) (the key is store.state_directory)")
        }
    }

    private func api(_ configuration: Configuration) -> BusAPIConfiguration {
        BusAPIConfiguration(
            waitMax: configuration.poll.waitMax, waitDefault: configuration.poll.waitDefault,
            subscribersMax: configuration.poll.subscribersMax,
            eventBytesMax: configuration.limits.eventBytesMax,
            administrator: administrator, version: Version.number)
    }

    private func http(_ configuration: Configuration) throws(DaemonError) -> HTTPServerConfiguration
    {
        let http = configuration.http
        var server = HTTPServerConfiguration(listen: placement.listen)
        server.loops = http.loops
        server.headerSeconds = http.headerSeconds
        server.bodySeconds = http.bodySeconds
        server.idleSeconds = http.idleSeconds
        server.connectionsMax = http.connectionsMax
        server.headerBytesMax = http.headerBytesMax
        do {
            server.hosts = try HostPolicy(allowing: http.hosts)
            server.origins = try OriginPolicy(
                allowing: http.origins, exposingHeaders: WireHeaders.exposed)
        } catch {
            throw DaemonError(detail: error.detail)
        }
        return server
    }

    private func warn(of addresses: [BoundAddress]) {
        for case .tcp(let address) in addresses where !address.isLoopback {
            log.warning(
                "\(address) is reachable from other machines, whose users nobody can tell apart")
        }
    }
}
