import Digests
import Protection
import TestSupport

/// A receiver of webhooks that verifies what it gets, and answers as a test has it.
final class WebhookReceiver: Sendable {
    static let key = [UInt8](1...32)
    static let secret = "whsec_" + Base64.text(key)

    private struct State {
        var asked = 0
        var taken: [String] = []
        var ids: [String] = []
        var forged = 0
        var gates: [(count: Int, gate: Gate)] = []
    }

    private let server: ScriptedServer
    private let state: Protected<State>

    /// - Parameter answer: The status line of the n-th answer, from 0 on, with its headers but for
    ///   the length of its body.
    init(answer: @escaping @Sendable (Int) -> String = { _ in "204 x" }) throws {
        let state = Protected(State())
        self.state = state
        server = try ScriptedServer { request in
            let parts = request.split(separator: "\r\n\r\n", maxSplits: 1).map { String($0) }
            let (gates, status) = state.write { state in
                let status = answer(state.asked)
                state.asked += 1
                state.ids.append(Self.header("webhook-id", in: parts[0]))
                if !Self.isGenuine(head: parts[0], body: parts[1]) { state.forged += 1 }
                if status.hasPrefix("2") { state.taken.append(parts[1]) }
                let reached = state.gates.filter { $0.count <= state.taken.count }
                state.gates.removeAll { $0.count <= state.taken.count }
                return (reached, status)
            }
            for (_, gate) in gates { gate.open() }
            return "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"
        }
    }

    var address: String { "http://127.0.0.1:\(server.port)/hook?of=it" }

    /// The bodies that it answered with 2xx.
    var taken: [String] { state.value.taken }
    /// The ids of all requests.
    var ids: [String] { state.value.ids }
    /// How many requests had a signature that is none.
    var forged: Int { state.value.forged }
    /// The first lines of all requests.
    var requests: [String] { server.requests }

    /// Waits until so many bodies were taken.
    func wait(for count: Int) throws {
        let gate = Gate()
        let isThere = state.write { state in
            if state.taken.count < count { state.gates.append((count, gate)) }
            return state.taken.count >= count
        }
        if !isThere { try gate.wait() }
    }

    private static func header(_ name: String, in head: String) -> String {
        head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) } ?? ""
    }

    private static func isGenuine(head: String, body: String) -> Bool {
        let signed = Array(
            "\(header("webhook-id", in: head)).\(header("webhook-timestamp", in: head)).\(body)"
                .utf8)
        let code = key.withUnsafeBytes { key in
            signed.withUnsafeBytes { Digest.hmacSHA256(key: key, $0) }
        }
        return header("webhook-signature", in: head).split(separator: " ")
            .contains("v1,\(Base64.text(code))")
    }
}
