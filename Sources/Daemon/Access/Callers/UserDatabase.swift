/// Users and groups by name and number.
public protocol UserDatabase: Sendable {
    /// The uid of a user; nil if there is no such user.
    func uid(ofUser name: String) -> UInt32?

    /// The gid of a group; nil if there is no such group.
    func gid(ofGroup name: String) -> UInt32?

    /// All groups of a user, the first one and the supplementary ones; empty for a uid that no user
    /// has.
    func groups(of uid: UInt32) -> [UInt32]
}
