internal import Glibc

/// A blocking client that sends exactly the bytes a test wants and reads answers strictly, each
/// step within a bound of time.
///
/// Not for use from two threads at once.
public final class RawClient {
    /// Where a server is.
    public enum Address: Sendable {
        /// IPv4 loopback.
        case tcp(UInt16)
        /// IPv6 loopback.
        case tcp6(UInt16)
        /// A unix socket.
        case unix(String)
    }

    /// One answer.
    public struct Answer: Sendable {
        /// The first line, without its end.
        public let statusLine: String
        /// The status code.
        public let status: Int
        /// The header fields in order, names as they were sent.
        public let headers: [(name: String, value: String)]
        /// The body, without chunk framing.
        public let body: [UInt8]

        /// The value of the only field of this name in any case; nil without one or with several.
        public func header(_ name: String) -> String? {
            let matching = headers.filter { $0.name.lowercased() == name.lowercased() }
            return matching.count == 1 ? matching[0].value : nil
        }

        /// The body as text.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Why a step failed.
    public enum Failure: Error, Equatable {
        /// A call of the system failed, with its `errno`.
        case system(String, Int32)
        /// The bound of time passed.
        case timedOut(received: String)
        /// The other end closed before the answer was complete.
        case closed(received: String)
        /// The answer breaks HTTP's framing.
        case malformed(String)
    }

    /// The connected socket.
    public let descriptor: Int32
    private let isUnix: Bool
    /// What was read and not yet taken.
    var received: [UInt8] = []
    private var isOpen = true

    /// Connects.
    ///
    /// - Parameter receiveBufferBytes: What the kernel keeps unread, doubled by it; nil leaves it
    ///   as it is.
    public init(_ address: Address, receiveBufferBytes: Int32? = nil) throws(Failure) {
        descriptor = try Self.connect(address, receiveBufferBytes)
        if case .unix = address { isUnix = true } else { isUnix = false }
    }

    deinit {
        close()
    }

    /// Closes the socket; a second call does nothing.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        // A child that another test starts has the descriptor too until it has become its program, and
        // the other end of a unix socket would meanwhile be told nothing.
        if isUnix { shutdown(descriptor, Int32(SHUT_RDWR)) }
        Glibc.close(descriptor)
    }

    /// Closes so that the other end gets a reset.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Says that nothing more will be sent.
    public func halfClose() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Bytes sent over TCP that the other end's kernel has not acknowledged yet.
    public var unacknowledgedBytes: Int {
        var count: Int32 = 0
        let result = ioctl(descriptor, UInt(TIOCOUTQ), &count)
        precondition(result == 0, "TIOCOUTQ of a client's socket: errno \(errno)")
        return Int(count)
    }

    /// Sends text as it is; line ends are the caller's.
    public func send(_ text: String, within seconds: Double = 60) throws(Failure) {
        try send(Array(text.utf8), within: seconds)
    }

    /// Sends all bytes.
    public func send(_ bytes: [UInt8], within seconds: Double = 60) throws(Failure) {
        let deadline = Self.now() + seconds
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, until: deadline)
            } else {
                throw .system("send", errno)
            }
        }
    }

    /// Sends a whole request with `Host: localhost` and, with a body, its `Content-Length`.
    public func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws(Failure) {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try send(Array((head + "\r\n").utf8) + (body ?? []))
    }

    /// Sends a whole request and reads its answer.
    public func exchange(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        within seconds: Double = 60
    ) throws(Failure) -> Answer {
        try send(method, target, headers: headers, body: body)
        return try readAnswer(toHead: method == "HEAD", within: seconds)
    }

    /// Reads one answer, whether framed by Content-Length, chunks or the end of the connection;
    /// interim answers (1xx but 101) are skipped. Bytes behind it are kept for the next one.
    public func readAnswer(toHead: Bool = false, within seconds: Double = 60) throws(Failure)
        -> Answer
    {
        let deadline = Self.now() + seconds
        while true {
            let answer = try readOne(toHead: toHead, until: deadline)
            if answer.status >= 200 || answer.status == 101 { return answer }
        }
    }

    /// Reads one interim answer, such as `100 Continue`.
    public func readInterim(within seconds: Double = 60) throws(Failure) -> Answer {
        try readOne(toHead: true, until: Self.now() + seconds)
    }

    /// Reads until the other end closes or resets, and returns every byte that was left.
    public func readToEnd(within seconds: Double = 60) throws(Failure) -> [UInt8] {
        let deadline = Self.now() + seconds
        while try fill(until: deadline) {}
        defer { received = [] }
        return received
    }

    /// Whether not one byte, nor an end, arrives for this long. Proves absence only so far.
    public func isSilent(for seconds: Double) -> Bool {
        guard received.isEmpty else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(seconds * 1000)) == 0
    }

    private func readOne(toHead: Bool, until deadline: Double) throws(Failure) -> Answer {
        let (statusLine, status, headers) = try readHead(until: deadline)
        func value(_ name: String) throws(Failure) -> String? {
            let values = headers.filter { $0.name.lowercased() == name }
            guard values.count <= 1 else { throw .malformed("\(name) is repeated") }
            return values.first?.value
        }
        let length = try value("content-length")
        let coding = try value("transfer-encoding")
        guard length == nil || coding == nil else { throw .malformed("two framings") }
        var body: [UInt8] = []
        if toHead || status < 200 || status == 204 || status == 304 {
            body = []
        } else if coding?.lowercased() == "chunked" {
            body = try readChunks(until: deadline)
        } else if let length {
            guard let count = Int(length), count >= 0 else {
                throw .malformed("Content-Length: \(length)")
            }
            body = try take(count, until: deadline)
        } else {
            while try fill(until: deadline) {}
            body = received
            received = []
        }
        return Answer(statusLine: statusLine, status: status, headers: headers, body: body)
    }

    func readHead(
        until deadline: Double
    ) throws(Failure) -> (String, Int, [(name: String, value: String)]) {
        let statusLine = try takeLine(until: deadline)
        let status = try Self.status(of: statusLine)
        var headers: [(name: String, value: String)] = []
        while true {
            let line = try takeLine(until: deadline)
            if line.isEmpty { return (statusLine, status, headers) }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw .malformed(line)
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append((String(line[..<colon]), String(value)))
        }
    }

    static func status(of line: String) throws(Failure) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3,
            let status = Int(parts[1])
        else { throw .malformed(line) }
        return status
    }

    private func readChunks(until deadline: Double) throws(Failure) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try takeLine(until: deadline)
            guard let count = Int(line.prefix { $0 != ";" }, radix: 16), count >= 0 else {
                throw .malformed("chunk size \(line)")
            }
            if count == 0 {
                while try !takeLine(until: deadline).isEmpty {}
                return body
            }
            body += try take(count, until: deadline)
            guard try takeLine(until: deadline).isEmpty else { throw .malformed("chunk end") }
        }
    }

    private func take(_ count: Int, until deadline: Double) throws(Failure) -> [UInt8] {
        while received.count < count { try need(until: deadline) }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    func takeLine(until deadline: Double) throws(Failure) -> String {
        var scanned = 0
        while true {
            if let end = received[scanned...].firstIndex(of: 0x0A) {
                guard end > 0, received[end - 1] == 0x0D else { throw .malformed("bare LF") }
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<(end - 1)], as: UTF8.self)
            }
            scanned = received.count
            try need(until: deadline)
        }
    }

    private func need(until deadline: Double) throws(Failure) {
        guard try fill(until: deadline) else {
            throw .closed(received: String(decoding: received, as: UTF8.self))
        }
    }

    /// Reads some bytes; false when the connection ended.
    func fill(until deadline: Double) throws(Failure) -> Bool {
        try wait(for: POLLIN, until: deadline)
        // Swift 6.2 loses the error's type in this function; a result keeps it.
        let filled = withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) {
            buffer -> Result<Bool, Failure> in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count < 0, errno != ECONNRESET { return .failure(.system("recv", errno)) }
            guard count > 0 else { return .success(false) }
            received.append(contentsOf: buffer[..<count])
            return .success(true)
        }
        return try filled.get()
    }

    private func wait(for events: Int32, until deadline: Double) throws(Failure) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let left = max(0, deadline - Self.now())
            let ready = poll(&entry, 1, Int32((left * 1000).rounded(.up)))
            if ready > 0 { return }
            if ready == 0 { throw .timedOut(received: String(decoding: received, as: UTF8.self)) }
            if errno != EINTR { throw .system("poll", errno) }
        }
    }

    private static func connect(
        _ address: Address, _ receiveBufferBytes: Int32?
    ) throws(Failure) -> Int32 {
        switch address {
        case .tcp(let port):
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = port.bigEndian
            target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try connect(
                AF_INET, &target, MemoryLayout<sockaddr_in>.size, receiveBufferBytes)
        case .tcp6(let port):
            var target = sockaddr_in6()
            target.sin6_family = sa_family_t(AF_INET6)
            target.sin6_port = port.bigEndian
            target.sin6_addr = in6addr_loopback
            return try connect(
                AF_INET6, &target, MemoryLayout<sockaddr_in6>.size, receiveBufferBytes)
        case .unix(let path):
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            guard bytes.count < MemoryLayout.size(ofValue: target.sun_path) else {
                throw .system("connect", ENAMETOOLONG)
            }
            withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: bytes) }
            return try connect(
                AF_UNIX, &target, MemoryLayout<sockaddr_un>.size, receiveBufferBytes)
        }
    }

    private static func connect(
        _ family: Int32, _ address: UnsafeRawPointer, _ count: Int, _ receiveBufferBytes: Int32?
    ) throws(Failure) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        if var bytes = receiveBufferBytes {
            // Before it connects: the window that a peer is told never shrinks.
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &bytes,
                socklen_t(MemoryLayout.size(ofValue: bytes)))
        }
        let result = Glibc.connect(
            descriptor, address.assumingMemoryBound(to: sockaddr.self), socklen_t(count))
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw .system("connect", code)
        }
        return descriptor
    }

    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
