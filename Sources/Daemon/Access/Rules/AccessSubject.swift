/// The callers that a rule is about.
public enum AccessSubject: Hashable, Sendable, CustomStringConvertible {
    /// The user of this number.
    case uid(UInt32)
    /// Users who are in the group of this number, as their first one or besides.
    case gid(UInt32)
    /// The user of this name, and the number that it had when the rule was read.
    case user(String, uid: UInt32)
    /// The group of this name, and the number that it had when the rule was read.
    case group(String, gid: UInt32)
    /// Callers that show the token of this name.
    case token(String)
    /// Everybody, the unknown included.
    case anyone

    /// The number that the kernel gives to users it cannot name.
    static let overflowID: UInt32 = 65_534

    /// Reads `uid:N`, `gid:N`, `user:NAME`, `group:NAME`, `token:NAME` or `anyone`.
    ///
    /// - Throws: An error with the problem, such as an unknown name.
    public init(_ text: some StringProtocol, users: any UserDatabase) throws(AccessError) {
        if text == "anyone" {
            self = .anyone
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { throw Self.unknown(text) }
        let name = String(parts[1])
        switch parts[0] {
        case "uid": self = .uid(try Self.number(name, "uid"))
        case "gid": self = .gid(try Self.number(name, "gid"))
        case "user":
            guard let uid = users.uid(ofUser: name) else {
                throw AccessError("there is no user `\(name)`: write uid:N, or make the user first")
            }
            self = .user(name, uid: try Self.known(uid, "user:\(name)"))
        case "group":
            guard let gid = users.gid(ofGroup: name) else {
                throw AccessError(
                    "there is no group `\(name)`: write gid:N, or make the group first")
            }
            self = .group(name, gid: try Self.known(gid, "group:\(name)"))
        case "token":
            guard TokenName.isValid(name) else { throw AccessError(TokenName.form) }
            self = .token(name)
        default: throw Self.unknown(text)
        }
    }

    /// The subject as it was written.
    public var description: String {
        switch self {
        case .uid(let uid): "uid:\(uid)"
        case .gid(let gid): "gid:\(gid)"
        case .user(let name, _): "user:\(name)"
        case .group(let name, _): "group:\(name)"
        case .token(let name): "token:\(name)"
        case .anyone: "anyone"
        }
    }

    /// Whether a caller is meant.
    func isAbout(_ caller: Caller) -> Bool {
        switch self {
        case .uid(let uid), .user(_, let uid): caller.uid == uid
        case .gid(let gid), .group(_, let gid): caller.groups?.contains(gid) == true
        case .token(let name): caller.token?.name == name
        case .anyone: true
        }
    }

    /// Whether it takes the groups of a caller to say.
    var isGroup: Bool {
        switch self {
        case .gid, .group: true
        case .uid, .user, .token, .anyone: false
        }
    }

    private static func number(_ text: String, _ kind: String) throws(AccessError) -> UInt32 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(text) else {
            throw AccessError("`\(kind):\(text)` has no number: write \(kind):N in digits")
        }
        return try known(number, "\(kind):\(text)")
    }

    private static func known(_ number: UInt32, _ text: String) throws(AccessError) -> UInt32 {
        guard number != overflowID, number != .max else {
            throw AccessError(
                "`\(text)` is \(number), the kernel's id for callers that it cannot name. They "
                    + "are unknown callers, and only `anyone` covers them")
        }
        return number
    }

    private static func unknown(_ text: some StringProtocol) -> AccessError {
        AccessError(
            "`\(text)` is nobody: write uid:N, gid:N, user:NAME, group:NAME, token:NAME or anyone")
    }
}
