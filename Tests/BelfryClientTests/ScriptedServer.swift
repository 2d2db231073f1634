import Glibc
import Protection

/// A server of HTTP that answers with what it was given, one text a request, whatever is asked; an
/// empty text closes the connection instead. It reads bodies by their Content-Length.
///
/// Behind its last text it closes every connection. Its connections end with this object.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let state: Protected<State>

    private struct State {
        var left: [String]
        var requests: [String] = []
        var connections: Set<Int32> = []
    }

    init(_ answers: [String]) throws {
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
        port = address.sin_port.bigEndian
        let state = Protected(State(left: answers))
        self.state = state
        try OwnedThread { Self.serve(listener, state) }.detach()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        state.write { state in
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// The first lines of all requests so far.
    var requests: [String] { state.value.requests }

    private static func serve(_ listener: Int32, _ state: Protected<State>) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            state.write { _ = $0.connections.insert(connection) }
            (try? OwnedThread { answer(connection, state) })?.detach()
        }
        close(listener)
    }

    private static func answer(_ connection: Int32, _ state: Protected<State>) {
        while let request = request(on: connection) {
            let answer = state.write { state in
                state.requests.append(String(request.prefix { $0 != "\r\n" }))
                return state.left.isEmpty ? "" : state.left.removeFirst()
            }
            guard !answer.isEmpty else { break }
            let bytes = Array(answer.utf8)
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else {
                break
            }
        }
        state.write { state in
            state.connections.remove(connection)
            close(connection)
        }
    }

    /// The head of the next request, whose body was read; nil where none comes.
    private static func request(on connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let head = text.firstRange(of: "\r\n\r\n") {
                let length = text[..<head.lowerBound].split(separator: "\r\n")
                    .first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: " ").last!) }
                if text[head.upperBound...].utf8.count >= length ?? 0 {
                    return String(text[..<head.lowerBound])
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
