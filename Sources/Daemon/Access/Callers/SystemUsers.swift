internal import Glibc

/// The users and groups of this machine, from the sources that `nsswitch.conf` names.
///
/// Every verb may block for as long as a directory service takes; none belongs on an event loop.
public struct SystemUsers: UserDatabase {
    /// This machine's.
    public init() {}

    /// The uid of a user; nil if there is none, and where nobody can say.
    public func uid(ofUser name: String) -> UInt32? {
        Self.record { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, buffer.baseAddress!, buffer.count, &found)
            return (code, found.map { $0.pointee.pw_uid })
        }
    }

    /// The gid of a group; nil if there is none, and where nobody can say.
    public func gid(ofGroup name: String) -> UInt32? {
        Self.record { buffer in
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let code = getgrnam_r(name, &entry, buffer.baseAddress!, buffer.count, &found)
            return (code, found.map { $0.pointee.gr_gid })
        }
    }

    /// The groups of a user; none for a uid without a name.
    public func groups(of uid: UInt32) -> [UInt32] {
        let user: (name: String, gid: UInt32)? = Self.record { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(uid, &entry, buffer.baseAddress!, buffer.count, &found)
            return (code, found.map { (String(cString: $0.pointee.pw_name!), $0.pointee.pw_gid) })
        }
        guard let user else { return [] }
        var capacity: Int32 = 64
        while true {
            var groups = [gid_t](repeating: 0, count: Int(capacity))
            var count = capacity
            if getgrouplist(user.name, user.gid, &groups, &count) >= 0 {
                return Array(groups[..<Int(count)])
            }
            guard count > capacity, count <= AccessLimits.groupsMax else { return [user.gid] }
            capacity = count
        }
    }

    /// The result of one look-up, in a buffer that grows until it is large enough.
    private static func record<Value>(
        _ lookUp: (UnsafeMutableBufferPointer<CChar>) -> (code: Int32, found: Value?)
    ) -> Value? {
        var size = 4_096
        while true {
            let (code, found) = withUnsafeTemporaryAllocation(
                of: CChar.self, capacity: size, lookUp)
            guard code == ERANGE, size < AccessLimits.recordBytesMax else { return found }
            size *= 4
        }
    }
}
