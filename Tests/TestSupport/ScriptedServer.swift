internal import Glibc
internal import Protection

/// A server of HTTP on loopback that says what a test has it say; an empty text closes the connection
/// instead. It reads bodies by their Content-Length.
///
/// Its connections end with this object.
public final class ScriptedServer: Sendable {
    /// The port that it listens on.
    public let port: UInt16
    private let listener: Int32
    private let state: Protected<State>

    private struct State {
        var requests: [String] = []
        var connections: Set<Int32> = []
        var made = 0
    }

    /// A server that says these texts, one a request, whatever is asked, and closes every connection
    /// behind the last of them.
    ///
    /// - Parameter owner: Whose socket it listens on, for tests that root runs; nil for our own user's.
    public convenience init(_ answers: [String], owner: UInt32? = nil) throws {
        let left = Protected(answers)
        try self.init(owner: owner) { _ in left.write { $0.isEmpty ? "" : $0.removeFirst() } }
    }

    /// A server that says what `answer` makes of a request, its head and its body. Each connection
    /// calls it on a thread of its own.
    public init(owner: UInt32? = nil, answer: @escaping @Sendable (String) -> String) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        precondition(isBound, "no port could be listened on: errno \(errno)")
        if let owner {
            precondition(fchown(listener, owner, .max) == 0, "no other owner: errno \(errno)")
        }
        port = address.sin_port.bigEndian
        let state = Protected(State())
        self.state = state
        try OwnedThread { Self.serve(listener, state, answer) }.detach()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        state.write { state in
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// The first lines of all requests so far.
    public var requests: [String] { state.value.requests }

    /// How many connections were accepted so far.
    public var connectionsMade: Int { state.value.made }

    private static func serve(
        _ listener: Int32, _ state: Protected<State>,
        _ answer: @escaping @Sendable (String) -> String
    ) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            state.write { state in
                state.connections.insert(connection)
                state.made += 1
            }
            (try? OwnedThread { converse(connection, state, answer) })?.detach()
        }
        close(listener)
    }

    private static func converse(
        _ connection: Int32, _ state: Protected<State>, _ answer: (String) -> String
    ) {
        while let request = request(on: connection) {
            state.write { $0.requests.append(String(request.prefix { $0 != "\r\n" })) }
            let bytes = Array(answer(request).utf8)
            guard !bytes.isEmpty else { break }
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else {
                break
            }
        }
        state.write { state in
            state.connections.remove(connection)
            close(connection)
        }
    }

    /// The head and the body of the next request; nil where none comes.
    private static func request(on connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let head = text.firstRange(of: "\r\n\r\n") {
                let length = text[..<head.lowerBound].split(separator: "\r\n")
                    .first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: " ").last!) }
                if text[head.upperBound...].utf8.count >= length ?? 0 {
                    return text
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
