/// The caller of an operation, as far as it was proved: by the kernel, by a token, or by both.
public struct Caller: Equatable, Sendable {
    /// The user; nil if it is unknown, which is never anybody's uid.
    public let uid: UInt32?

    /// The groups that the user is in, supplementary ones included; nil when they are not known.
    public let groups: [UInt32]?

    /// The token that was shown.
    public let token: Token?

    /// A caller with these proofs.
    public init(uid: UInt32? = nil, groups: [UInt32]? = nil, token: Token? = nil) {
        self.uid = uid
        self.groups = groups
        self.token = token
    }

    /// Whether this is somebody, and the same as another one: the same user, with the same token or
    /// without.
    public func isKnown(as other: Caller) -> Bool {
        (uid != nil || token != nil) && uid == other.uid && token?.name == other.token?.name
    }

    /// A caller without any proof.
    public static let unknown = Caller()
}

extension Caller: CustomStringConvertible {
    /// `user 1000`, `the token deployer`, both, or `an unknown caller`; for logs and answers.
    public var description: String {
        switch (uid, token) {
        case (let uid?, let token?): "user \(uid) with the token '\(token.name)'"
        case (let uid?, nil): "user \(uid)"
        case (nil, let token?): "the token '\(token.name)'"
        case (nil, nil): "an unknown caller"
        }
    }
}
