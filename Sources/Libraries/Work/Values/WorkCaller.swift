internal import Topics

/// The caller that asks a group for something.
package struct WorkCaller: Hashable, Sendable {
    /// The user id; nil where nobody knows.
    package let uid: UInt32?
    /// Text that is equal for equal callers.
    package let identity: String
    /// The name of the token that it showed.
    private let token: String?

    /// The same, as a store keeps it.
    var stored: StoredCaller { StoredCaller(uid: uid, token: token) }

    /// The user id that an identity says; nil for that of a token.
    static func uid(in identity: String) -> UInt32? {
        identity.hasPrefix("uid ") ? UInt32(identity.dropFirst(4)) : nil
    }

    /// A caller by user id, or by the name of a token, which then counts instead.
    package init(uid: UInt32?, token: String? = nil) {
        self.uid = uid
        self.token = token
        identity = token.map { "token \($0)" } ?? uid.map { "uid \($0)" } ?? ""
    }
}
