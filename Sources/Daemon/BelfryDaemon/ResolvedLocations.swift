public import HTTPFront

/// The addresses of a daemon and the place of its state, with every `auto` decided.
public struct ResolvedLocations: Equatable, Sendable {
    /// The addresses at which it listens.
    public var listen: [ListenAddress]
    /// The folder of files that outlive it; nil for a daemon that leaves nothing behind, whose ids
    /// then rise by the clock alone.
    public var stateDirectory: String?
    /// Folders that sockets need and that are made if they are missing.
    public var socketDirectories: [String] = []

    /// Whether its sockets come from systemd, in place of those of `[listen]`.
    var isHandedOver: Bool {
        listen.contains { if case .inherited = $0 { true } else { false } }
    }

    /// These addresses and this folder.
    public init(listen: [ListenAddress], stateDirectory: String? = nil) {
        self.listen = listen
        self.stateDirectory = stateDirectory
    }

    /// The file of a store on SQLite; nil for a store in memory, and for one that is to lie in the
    /// state directory where there is none.
    func storePath(_ store: Configuration.Store) -> String? {
        switch store {
        case .memory: nil
        case .sqlite(let path?): path
        case .sqlite(nil): stateDirectory.map { "\($0)/belfry.db" }
        }
    }

    /// The store as the ready line writes it, with its file.
    func storeName(_ store: Configuration.Store) -> String {
        storePath(store).map { "sqlite:\($0)" } ?? "memory"
    }

    /// The locations that a configuration means in its environment. Sockets that were handed over
    /// replace every configured address.
    ///
    /// - Throws: the key that cannot be left to the daemon here.
    public init(
        _ configuration: Configuration, in environment: RuntimeEnvironment,
        handedOver: [Int32] = []
    ) throws(ConfigurationProblems) {
        guard
            let state = configuration.stateDirectory ?? Self.stateDirectory(environment)
        else {
            throw ConfigurationProblems(
                .whole,
                "there is no home for state here: set HOME, XDG_STATE_HOME or "
                    + ConfigurationKey.named("store.state_directory").variable)
        }
        self.init(listen: handedOver.map { .inherited(descriptor: $0) }, stateDirectory: state)
        guard handedOver.isEmpty else { return }
        listen = configuration.listen.tcp.map { address in
            address.isOptional(beside: configuration.listen.tcp) ? address.optional : address
        }
        let mode = configuration.listen.unixMode
        switch configuration.listen.unix {
        case .none: break
        case .path(let path): listen.append(.unix(path: path, mode: mode))
        case .automatic:
            let directory = Self.socketDirectory(environment) ?? state
            let path = "\(directory)/belfry.sock"
            guard path.utf8.count <= HTTPFrontLimits.unixPathBytesMax else { return }
            listen.append(.unix(path: path, mode: mode))
            if directory != state, directory != environment.runtimeDirectory {
                socketDirectories = [directory]
            }
        }
    }

    private static func stateDirectory(_ environment: RuntimeEnvironment) -> String? {
        if let given = environment.stateDirectory { return given }
        if let state = environment.userState { return "\(state)/belfry" }
        return environment.home.map { "\($0)/.local/state/belfry" }
    }

    private static func socketDirectory(_ environment: RuntimeEnvironment) -> String? {
        if let given = environment.runtimeDirectory { return given }
        // A service without a folder for sockets may not make one beside those of others.
        if environment.stateDirectory != nil { return nil }
        if environment.uid == 0 { return "/run/belfry" }
        return environment.userRuntime.map { "\($0)/belfry" }
    }
}

extension ListenAddress {
    /// Whether this is `[::1]` and the same port of 127.0.0.1 is listened on too, so that nobody
    /// misses it where IPv6 is off.
    fileprivate func isOptional(beside others: [ListenAddress]) -> Bool {
        guard case .tcp(let address, _) = self, address.family == .ipv6, address.isLoopback else {
            return false
        }
        return others.contains(.loopback(port: address.port))
    }

    fileprivate var optional: ListenAddress {
        guard case .tcp(let address, _) = self else { return self }
        return .tcp(address, optional: true)
    }
}
