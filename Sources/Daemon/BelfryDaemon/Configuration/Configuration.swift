public import Access
public import HTTPFront
public import SQLiteStore
public import Telemetry
public import Topics

/// All settings of the daemon, with a default for each.
///
/// `ConfigurationKey.all` has the name and the purpose of each setting.
public struct Configuration: Equatable, Sendable {
    /// The addresses at which the bus is reached.
    public struct Listen: Equatable, Sendable {
        /// TCP addresses.
        public var tcp: [ListenAddress] = [
            .loopback(port: defaultPort), .loopbackIPv6(port: defaultPort),
        ]
        /// The unix socket.
        public var unix = UnixSocket.automatic
        /// Permission bits of the unix socket.
        public var unixMode = ListenAddress.unixModeDefault
    }

    /// The unix socket at which the bus is reached.
    public enum UnixSocket: Equatable, Sendable {
        /// A socket at the place that `ResolvedLocations` finds for it.
        case automatic
        /// No unix socket.
        case none
        /// The socket at this path.
        case path(String)
    }

    /// How HTTP connections are treated.
    public struct HTTP: Equatable, Sendable {
        /// Event loops.
        public var loops = 1
        /// Seconds from a request's first byte to the end of its headers.
        public var headerSeconds = HTTPFrontLimits.headerSeconds
        /// Seconds from the end of the headers to the end of the body.
        public var bodySeconds = HTTPFrontLimits.bodySeconds
        /// Seconds a connection may lie idle between two requests.
        public var idleSeconds = HTTPFrontLimits.idleSeconds
        /// Seconds without a byte read after which a peer that is being answered is given up.
        public var sendSeconds = HTTPFrontLimits.sendProgressSeconds
        /// Connections open at one time.
        public var connectionsMax = HTTPFrontLimits.connectionsMax
        /// Of these, connections of one user; nil for a share of them.
        public var connectionsPerUID: Int?
        /// Bytes of one request's line and headers.
        public var headerBytesMax = HTTPFrontLimits.headerBytesMax
        /// Host names besides the loopback ones.
        public var hosts: [String] = []
        /// The prefix of every path; nil for none.
        public var prefix: String?
        /// Origins of foreign web pages.
        public var origins: [String] = []
        /// Origins of foreign web pages that may only read.
        public var originsRead: [String] = []
        /// Whether browsers are shown the page.
        public var showsPage = true
    }

    /// How requests wait for events.
    public struct Poll: Equatable, Sendable {
        /// The longest wait, in microseconds.
        public var waitMax: Int64 = 3_600_000_000
        /// The wait of a request that does not say, in microseconds.
        public var waitDefault: Int64 = 30_000_000
        /// Waiting requests and streams at one time.
        public var subscribersMax = 16_000
        /// Of these, those of one user; nil for a share of them.
        public var subscribersPerUID: Int?
        /// Of these, those to exactly one topic; nil for no bound of its own.
        public var subscribersPerTopic: Int?
    }

    /// The figures that `/metrics` shows beside those of the bus.
    public struct Metrics: Equatable, Sendable {
        /// Topics and patterns whose topics have figures of their own.
        public var topics: [String] = []

        /// All of them; nil where there are none, or too many.
        var selector: Selector? { try? Selector(topics.joined(separator: ",")) }
    }

    /// How streams of events are kept up.
    public struct Stream: Equatable, Sendable {
        /// The time between two signs of life, in microseconds.
        public var heartbeat: Int64 = 15_000_000
    }

    /// How much work groups take on, all of them and each. One user has three quarters of a shared
    /// bound.
    public struct GroupBounds: Equatable, Sendable {
        /// Groups.
        public var groupsMax = 1_000
        /// Open jobs of all groups.
        public var openMax = 250_000
        /// Of these, those of one group.
        public var openPerGroupMax = 10_000
        /// Jobs of all groups that wait for others of their key.
        public var parkedMax = 1_000_000
        /// Of these, those of one group.
        public var parkedPerGroupMax = 100_000
    }

    /// The rules and the tokens of access.
    public struct AccessControl: Equatable, Sendable {
        /// The rules, one line each.
        public var rules: [AccessRule] = []
        /// The file of tokens and its content.
        public var tokens = TokensFile()
    }

    /// The place where accepted events live.
    public enum Store: Equatable, Sendable {
        /// In memory: a restart loses them, and tells subscribers so.
        case memory
        /// In a file of SQLite; without a path in the state directory.
        case sqlite(path: String?)

        /// The store as the configuration and the ready line write it.
        public var name: String {
            switch self {
            case .memory: "memory"
            case .sqlite(nil): "sqlite"
            case .sqlite(let path?): "sqlite:\(path)"
            }
        }
    }

    /// The destination of the access log.
    public enum AccessLogDestination: Equatable, Sendable {
        /// There is none.
        case none
        /// Among the other lines of the log.
        case log
        /// Into this file.
        case file(String)
    }

    /// The addresses at which the bus is reached.
    public var listen = Listen()
    /// How HTTP connections are treated.
    public var http = HTTP()
    /// The figures that `/metrics` shows beside those of the bus.
    public var metrics = Metrics()
    /// Whether publishing makes a topic.
    public var autocreate = true
    /// How much the bus takes on.
    public var limits = BusLimits()
    /// Of the topics, those that one user made; nil for a share of them.
    public var topicsPerUID: Int?
    /// Of the bytes that may wait for the store, those of one user; nil for a share of them.
    public var commitQueueBytesPerUID: Int?
    /// Bytes that events, their encodings, bodies and unsent answers may take together.
    public var memoryBytesMax = 256 << 20
    /// How much of a topic is kept that was not registered with settings of its own.
    public var retention = Retention.standard
    /// How requests wait for events.
    public var poll = Poll()
    /// How streams of events are kept up.
    public var stream = Stream()
    /// How much work groups take on.
    public var work = GroupBounds()
    /// The rules and the tokens of access.
    public var access = AccessControl()
    /// The place where accepted events live.
    public var store = Store.sqlite(path: nil)
    /// When a store on the disk syncs its commits.
    public var storeSync = SQLiteStoreConfiguration.Sync.normal
    /// Bytes that the file of such a store may take.
    public var storeBytesMax = 4 << 30
    /// The folder of files that outlive the process; nil for the one that `ResolvedLocations`
    /// finds.
    public var stateDirectory: String?
    /// Seconds that a stop may take to answer everybody who waits.
    public var drainSeconds = 10
    /// The destination of the lines about requests that have ended.
    public var accessLog = AccessLogDestination.none
    /// The least grave lines that are logged.
    public var logLevel = LogLevel.info

    /// The part of a limit that one user may have, unless configured: three quarters, so that there
    /// is always something left for others.
    static func share(of limit: Int) -> Int { limit - limit / 4 }

    /// The port of the bus unless configured.
    public static let defaultPort: UInt16 = 7464

    /// The defaults.
    public init() {}
}

extension ListenAddress {
    static func loopback(port: UInt16) -> ListenAddress {
        .tcp(SocketAddress(numeric: "127.0.0.1", port: port)!, optional: false)
    }

    static func loopbackIPv6(port: UInt16) -> ListenAddress {
        .tcp(SocketAddress(numeric: "[::1]", port: port)!, optional: false)
    }
}
