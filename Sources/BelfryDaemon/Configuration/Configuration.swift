public import HTTPFront
public import Telemetry
public import Topics

/// Everything the daemon can be told, with a default for each.
///
/// `ConfigurationKey.all` names the settings and says what each is for.
public struct Configuration: Equatable, Sendable {
    /// Where the bus is reached.
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

    /// Which unix socket the bus is reached at.
    public enum UnixSocket: Equatable, Sendable {
        /// Where `Placement` finds a place for it.
        case automatic
        /// No unix socket.
        case none
        /// This one.
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
        /// Connections open at one time.
        public var connectionsMax = HTTPFrontLimits.connectionsMax
        /// Bytes of one request's line and headers.
        public var headerBytesMax = HTTPFrontLimits.headerBytesMax
        /// Host names besides the loopback ones.
        public var hosts: [String] = []
        /// Origins of foreign web pages.
        public var origins: [String] = []
    }

    /// How requests wait for events.
    public struct Poll: Equatable, Sendable {
        /// The longest wait, in microseconds.
        public var waitMax: Int64 = 3_600_000_000
        /// The wait of a request that does not say, in microseconds.
        public var waitDefault: Int64 = 30_000_000
        /// Waiting requests at one time.
        public var subscribersMax = 16_000
    }

    /// Where accepted events live.
    public enum Store: Equatable, Sendable {
        /// In memory: a restart loses them, and tells subscribers so.
        case memory

        /// The store as the configuration and the ready line write it.
        public var name: String {
            switch self {
            case .memory: "memory"
            }
        }
    }

    /// Where the bus is reached.
    public var listen = Listen()
    /// How HTTP connections are treated.
    public var http = HTTP()
    /// Whether publishing makes a topic.
    public var autocreate = true
    /// How much the bus takes on.
    public var limits = BusLimits()
    /// Bytes that events, their encodings, bodies and unsent answers may take together.
    public var memoryBytesMax = 256 << 20
    /// How much of a topic is kept that was not registered with settings of its own.
    public var retention = Retention.standard
    /// How requests wait for events.
    public var poll = Poll()
    /// Where accepted events live.
    public var store = Store.memory
    /// The folder of what outlives the process; nil where `Placement` finds one.
    public var stateDirectory: String?
    /// Seconds that a stop may take to answer everybody who waits.
    public var drainSeconds = 10
    /// What is logged.
    /// The least grave lines that are logged.
    public var logLevel = LogLevel.info

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
