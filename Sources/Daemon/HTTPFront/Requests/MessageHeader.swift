/// A header that the front goes by; every other one is the handler's alone.
///
/// This is the only list of them. Code that checks heads, judges them, or knows others like them
/// goes through its cases, so that the compiler asks each for the meaning of a new one.
enum MessageHeader {
    case host
    case contentLength
    case transferEncoding
    case connection
    case upgrade
    case expect
    case origin
    /// libmicrohttpd takes it apart.
    case cookie
    /// `Sec-Fetch-Site`, by which a browser says where a request comes from.
    case fetchSite
    /// Another `Sec-Fetch-…` of a browser.
    case fetchMetadata

    /// The header of this name, in any case; nil for one that the front does not go by.
    init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"): self = .host
        case 6 where name.equalsIgnoringCase("expect"): self = .expect
        case 6 where name.equalsIgnoringCase("origin"): self = .origin
        case 6 where name.equalsIgnoringCase("cookie"): self = .cookie
        case 7 where name.equalsIgnoringCase("upgrade"): self = .upgrade
        case 10 where name.equalsIgnoringCase("connection"): self = .connection
        case 14 where name.equalsIgnoringCase("content-length"): self = .contentLength
        case 14 where name.equalsIgnoringCase("sec-fetch-site"): self = .fetchSite
        case 17 where name.equalsIgnoringCase("transfer-encoding"): self = .transferEncoding
        case 10... where name.hasPrefixIgnoringCase("sec-fetch-"): self = .fetchMetadata
        default: return nil
        }
    }
}
