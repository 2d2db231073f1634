internal import Telemetry

/// What a loop takes from the configuration, in the units it works with.
struct LoopSettings: Sendable {
    let headerMilliseconds: UInt64
    let bodyMilliseconds: UInt64
    let idleMilliseconds: UInt64
    let halfClosedRecheckMilliseconds: UInt64
    let sendProgressMilliseconds: UInt64
    let webSocketCloseMilliseconds: Int
    let firstRequestMilliseconds: UInt64
    let connectionsMax: Int
    let connectionsPerUIDMax: Int
    let headerBytesMax: Int
    let discardBytesMax: UInt64
    let socketSendBufferBytes: Int
    /// The parser's own idle time-out. It closes who does not read an answer; all else is decided
    /// earlier, by the loop's deadlines.
    let parserTimeoutSeconds: Int
    /// What requests are judged by.
    let rules: RequestRules
    let accessSink: (any AccessSink)?
    let peerGroups: (any PeerGroups)?
    let peerGroupsMilliseconds: UInt64
    /// Connections of all loops together.
    let openConnections: Gauge
    /// What users hold, over all loops.
    let accounts: CallerAccounts
    /// Whether other loops accept from the same listeners.
    let sharesListeners: Bool
    /// Tells them from those that the loop had before.
    private(set) var number: UInt32 = 0

    init(
        _ configuration: HTTPServerConfiguration, openConnections: Gauge, accounts: CallerAccounts
    ) {
        headerMilliseconds = UInt64(configuration.headerSeconds) * 1000
        bodyMilliseconds = UInt64(configuration.bodySeconds) * 1000
        idleMilliseconds = UInt64(configuration.idleSeconds) * 1000
        halfClosedRecheckMilliseconds = UInt64(configuration.halfClosedRecheckSeconds) * 1000
        sendProgressMilliseconds = UInt64(configuration.sendProgressSeconds) * 1000
        webSocketCloseMilliseconds = configuration.webSocketCloseSeconds * 1000
        firstRequestMilliseconds = configuration.firstRequestMilliseconds
        connectionsMax = configuration.connectionsMax
        connectionsPerUIDMax = configuration.connectionsPerUIDMax
        headerBytesMax = configuration.headerBytesMax
        discardBytesMax = UInt64(configuration.discardBytesMax)
        socketSendBufferBytes = configuration.socketSendBufferBytes
        parserTimeoutSeconds = configuration.longestDeadlineSeconds + 1
        rules = RequestRules(hosts: configuration.hosts, origins: configuration.origins)
        accessSink = configuration.accessSink
        peerGroups = configuration.peerGroups
        peerGroupsMilliseconds = configuration.peerGroupsMilliseconds
        self.openConnections = openConnections
        self.accounts = accounts
        sharesListeners = configuration.loops > 1
    }

    /// Takes others in place of these. Deadlines that run, run on.
    mutating func replace(by others: LoopSettings) {
        let next = number &+ 1
        self = others
        number = next
    }
}
