/// Why a WebSocket ends (RFC 6455 section 7.4).
public struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number that goes over the wire.
    public let rawValue: UInt16

    /// The code of any number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// All is said.
    public static let normal = CloseCode(rawValue: 1000)
    /// This end goes away.
    public static let leaving = CloseCode(rawValue: 1001)
    /// The other end broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// Data of another form than it claims, such as text that is not UTF-8.
    public static let badData = CloseCode(rawValue: 1007)
    /// An action that is not allowed, or not any longer.
    public static let forbidden = CloseCode(rawValue: 1008)
    /// A message above the maximum.
    public static let tooBig = CloseCode(rawValue: 1009)
    /// This end failed.
    public static let failed = CloseCode(rawValue: 1011)
    /// This end restarts; connect again.
    public static let restart = CloseCode(rawValue: 1012)
    /// This end has no room at this moment; connect again later.
    public static let tryLater = CloseCode(rawValue: 1013)
    /// The subject of the socket was deleted. The number is one of those that are free for
    /// applications.
    public static let deleted = CloseCode(rawValue: 4410)

    /// Whether a frame may carry the code: 1004 to 1006 and 1015 never stand in one, and below 3000
    /// only registered ones may.
    public var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
