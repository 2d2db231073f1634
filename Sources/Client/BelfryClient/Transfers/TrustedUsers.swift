internal import Glibc

/// The users of this machine that may have a token: those who could read it anyway, and the bus.
enum TrustedUsers {
    /// The account of the bus, as its unit makes it.
    static let busUser = "belfryd"

    /// Whether a listener of this user is one.
    static func has(_ uid: UInt32) -> Bool {
        // The kernel's overflow uid stands for every user that it cannot name here.
        guard uid != 65_534, uid != .max else { return false }
        return uid == 0 || uid == geteuid() || uid == busUID
    }

    /// The user of ``busUser``; nil where there is no such account.
    private static var busUID: UInt32? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Limits.accountBytesMax) { buffer in
            var (account, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
            let code = getpwnam_r(busUser, &account, buffer.baseAddress!, buffer.count, &found)
            return code == 0 && found != nil ? account.pw_uid : nil
        }
    }
}
