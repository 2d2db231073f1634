import Glibc

/// A socket that stands for systemd's end of `sd_notify`.
final class NotificationSocket {
    private let descriptor: Int32

    init(_ path: String) throws {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SocketFailure(code: errno) }
        var bound = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// The next step that is told, within 20 seconds; signs of life come in between at any time.
    func receive() throws -> String {
        while true {
            let message = try receiveAny()
            if !message.hasPrefix("WATCHDOG=1\n"), !message.hasPrefix("STATUS=") { return message }
        }
    }

    /// Sends messages to it until it takes no more; a sender waits from now on.
    func fill() throws {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let sender = socket(AF_UNIX, type, 0)
        defer { close(sender) }
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size) == 0 && connect(sender, $0, size) == 0
            }
        }
        guard result else { throw SocketFailure(code: errno) }
        while send(sender, "x", 1, 0) == 1 {}
        guard errno == EAGAIN else { throw SocketFailure(code: errno) }
    }

    /// The next message, within 20 seconds.
    func receiveAny() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw SocketFailure(code: errno) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

/// A listening socket on loopback that is opened before the daemon, as systemd does it.
final class LoopbackSocket {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard result else { throw SocketFailure(code: errno) }
    }

    deinit {
        close(descriptor)
    }
}

/// A call of the system that failed, with its `errno`.
struct SocketFailure: Error {
    let code: Int32
}
