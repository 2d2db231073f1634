internal import CCurl
internal import CLinux
internal import Glibc

/// Whether the process at the other end of a new connection may have a token.
///
/// A unix socket names the user that listens on it. A listener of TCP is looked up in the kernel's
/// table both before the connection is made and after it. One that was there all the time is the
/// one that was connected to, for no two users listen at one address. The other end of the
/// connection itself does not tell: it is nobody's until it is accepted. Then it belongs to the
/// user of the service, even if root's systemd made the listener.
///
/// A connection that was trusted once is trusted for as long as it lasts. Only the loop's thread
/// uses this type.
struct PeerCheck {
    /// The result of the check.
    enum Verdict: Equatable {
        case trusted
        /// The sentence names the owner.
        case untrusted(String)
        /// A listener came or went meanwhile: a second try will tell.
        case changed
    }

    /// The listeners at the addresses that were tried, as they were before the connection.
    private var listeners: [PeerAddress: Listener.Answer] = [:]
    private var unixSocket: Int32?

    /// A socket is to be connected; without an address it is a unix one.
    mutating func opens(_ socket: Int32, to address: PeerAddress?) {
        if let address {
            listeners[address] = Listener.find(at: address)
        } else {
            unixSocket = socket
        }
    }

    /// The verdict on the process at the other end of the connection that there is now.
    func verdict(on address: PeerAddress) -> Verdict {
        if let unixSocket { return Self.verdict(onSocket: unixSocket) }
        // A connection of before, which was looked at when it was made.
        guard !listeners.isEmpty else { return .trusted }
        return Self.verdict(
            before: listeners[address] ?? .none, behind: Listener.find(at: address), at: address)
    }

    private static func verdict(onSocket socket: Int32) -> Verdict {
        var credentials = clinux_credentials()
        let code = clinux_peer_credentials(socket, &credentials)
        guard code == 0 else { return .untrusted(unknown("the unix socket", code)) }
        return TrustedUsers.has(credentials.uid)
            ? .trusted : .untrusted(foreign("the unix socket", credentials.uid))
    }

    /// The verdict that follows from the two answers for an address.
    static func verdict(
        before: Listener.Answer, behind: Listener.Answer, at address: PeerAddress
    ) -> Verdict {
        switch (before, behind) {
        case (_, .failed(let code)): .untrusted(unknown("\(address)", code))
        case (_, .found(let listener)) where !TrustedUsers.has(listener.uid):
            .untrusted(foreign("\(address)", listener.uid))
        case (.found(let first), .found(let second)) where first == second: .trusted
        case (.none, .none):
            .untrusted(
                "no user of this machine is known to listen at \(address), and http by itself does "
                    + "not say whom it reaches")
        default: .changed
        }
    }

    private static func foreign(_ place: String, _ uid: UInt32) -> String {
        "user \(uid) listens at \(place), and a token goes to root, \(TrustedUsers.busUser) and your "
            + "own user alone"
    }

    private static func unknown(_ place: String, _ code: Int32) -> String {
        "the kernel does not say who listens at \(place) (errno \(abs(code)))"
    }
}

/// An address of TCP, as libcurl writes it.
struct PeerAddress: Hashable, CustomStringConvertible {
    let ip: String
    let port: UInt16

    init(ip: String, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Nil for a unix socket.
    init?(_ address: UnsafePointer<curl_sockaddr>) {
        var port: Int32 = 0
        let ip = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            belfry_curl_address(address, text.baseAddress, text.count, &port) != 0
                ? String(cString: text.baseAddress!) : nil
        }
        guard let ip else { return nil }
        self.init(ip: ip, port: UInt16(truncatingIfNeeded: port))
    }

    var description: String { ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

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
