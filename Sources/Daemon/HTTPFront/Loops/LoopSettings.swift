internal import Telemetry

/// The settings of a loop: the configuration, the rules made of it, and the objects that all loops
/// share.
struct LoopSettings: Sendable {
    let configuration: HTTPServerConfiguration
    /// The rules that requests are judged by.
    let rules: RequestRules
    /// Connections of all loops together.
    let openConnections: Gauge
    /// The accounts of users, over all loops.
    let accounts: CallerAccounts
    /// A number that tells these settings from those that the loop had before.
    private(set) var number: UInt32 = 0

    init(
        _ configuration: HTTPServerConfiguration, openConnections: Gauge, accounts: CallerAccounts
    ) {
        self.configuration = configuration
        self.openConnections = openConnections
        self.accounts = accounts
        rules = RequestRules(
            hosts: configuration.hosts, origins: configuration.origins,
            prefix: configuration.prefix)
    }

    var headerBytesMax: Int { configuration.headerBytesMax }
    var headerMilliseconds: UInt64 { UInt64(configuration.headerSeconds) * 1_000 }
    var bodyMilliseconds: UInt64 { UInt64(configuration.bodySeconds) * 1_000 }
    var idleMilliseconds: UInt64 { UInt64(configuration.idleSeconds) * 1_000 }
    var halfClosedRecheckMilliseconds: UInt64 {
        UInt64(configuration.halfClosedRecheckSeconds) * 1_000
    }
    var sendProgressMilliseconds: UInt64 { UInt64(configuration.sendProgressSeconds) * 1_000 }
    var discardBytesMax: UInt64 { UInt64(configuration.discardBytesMax) }
    var webSocketCloseMilliseconds: Int { configuration.webSocketCloseSeconds * 1_000 }

    /// Whether other loops accept from the same listeners.
    var sharesListeners: Bool { configuration.loops > 1 }

    /// Takes others in place of these. Deadlines that run already are kept.
    mutating func replace(by others: LoopSettings) {
        let next = number &+ 1
        self = others
        number = next
    }
}
