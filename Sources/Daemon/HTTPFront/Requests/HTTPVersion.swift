/// The HTTP versions that are spoken here.
public enum HTTPVersion: Sendable, Equatable {
    /// HTTP/1.0: a connection closes unless asked to stay, and Host may be absent.
    case http10
    /// HTTP/1.1, and any later 1.x, which RFC 9110 section 2.5 says to treat so.
    case http11

    /// The version that a request line ends in, such as `HTTP/1.1`, or nil for any other protocol.
    public init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == 8, text.hasPrefix("HTTP/1.") else { return nil }
        switch text[7] {
        case UInt8(ascii: "0"): self = .http10
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .http11
        default: return nil
        }
    }
}
