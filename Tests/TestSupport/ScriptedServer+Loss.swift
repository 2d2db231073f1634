internal import Glibc
internal import Protection

extension ScriptedServer {
    /// A server in front of a daemon that hands every request on, and loses the answers to the first so many
    /// publishes, as a bus that is killed behind a commit does.
    public convenience init(before daemon: RunningDaemon, losing count: Int) throws {
        let left = Protected(count)
        let target = daemon.tcp
        try self.init { request in
            let answer = (try? Self.answer(to: request, of: target)) ?? ""
            guard request.hasPrefix("POST") else { return answer }
            let isLost = left.write { left in
                left -= 1
                return left >= 0
            }
            return isLost ? "" : answer
        }
    }

    private static func answer(to request: String, of target: RawClient.Address) throws -> String {
        let client = try RawClient(target)
        defer { client.close() }
        let end = request.firstRange(of: "\r\n\r\n")?.lowerBound ?? request.endIndex
        // The daemon knows itself by its own port.
        let head = request[..<end].split(separator: "\r\n").filter { !$0.hasPrefix("Host:") }
        let lines = head + ["Host: localhost", "Connection: close"]
        try client.send(lines.joined(separator: "\r\n") + request[end...])
        return String(decoding: try client.readToEnd(), as: UTF8.self)
    }
}
