import Glibc
import TestSupport

/// Clients that get into some phase of a request and disappear there, each in one of the ways in
/// which programs end.
///
/// Several threads each keep a handful of clients open, so that phases and ways mix in time. A
/// seed decides who does what.
struct VanishingCrowd: Sendable {
    /// How far a client gets.
    enum Phase: CaseIterable {
        case connected, inRequestLine, inHeaders, inBody, inChunks, waiting, waitingWide,
            waitingJSON, answeredLarge, answeredLargeJSON, published, pipelinedBehindAPoll,
            keptAlive
    }

    /// How it disappears.
    enum Way: CaseIterable {
        case close, reset, halfCloseThenClose, halfCloseThenReset
    }

    let addresses: [RawClient.Address]
    let seed: UInt64
    var ways = Way.allCases
    var phases = Phase.allCases

    /// Clients that one thread holds open before the oldest of them disappears.
    static let heldMax = 24

    /// Sends so many clients through, on as many threads as there are.
    func pass(_ count: Int, threads: Int = 4) throws {
        try inParallel(threads) { [self] index in
            var random = SeededRandom(seed: seed &+ UInt64(index))
            var held: [RawClient] = []
            for _ in 0..<count / threads {
                let client = try RawClient(addresses.randomElement(using: &random)!)
                let phase = phases.randomElement(using: &random)!
                try Self.bring(client, into: phase, using: &random)
                held.append(client)
                if held.count > Self.heldMax {
                    let index = held.indices.randomElement(using: &random)!
                    vanish(held.remove(at: index), using: &random)
                }
            }
            for client in held { vanish(client, using: &random) }
        }
    }

    private static func bring(
        _ client: RawClient, into phase: Phase, using random: inout SeededRandom
    ) throws {
        let bytes = Array(request(of: phase).utf8)
        let cut: Int
        switch phase {
        case .inRequestLine: cut = Int.random(in: 1..<14, using: &random)
        case .inHeaders: cut = Int.random(in: 24..<bytes.count - 2, using: &random)
        default: cut = bytes.count
        }
        try client.send(Array(bytes[..<cut]))
        // Waiting for the answer now and then lets the daemon get as far as the phase says.
        if phase == .keptAlive || phase == .published && Bool.random(using: &random) {
            _ = try client.readAnswer(within: 60)
        }
    }

    private static func request(of phase: Phase) -> String {
        let host = "HTTP/1.1\r\nHost: localhost\r\n"
        return switch phase {
        case .connected: ""
        case .inRequestLine, .inHeaders:
            "GET /topics/crowd?since=now \(host)X-Padding: \(String(repeating: "x", count: 60))\r\n"
        case .inBody:
            "POST /topics/never \(host)Content-Length: 1000\r\n\r\n"
                + String(repeating: "x", count: 500)
        case .inChunks:
            "POST /topics/never \(host)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nhe"
        case .waiting: "GET /topics/crowd?wait=1h \(host)\r\n"
        case .waitingWide: "GET /topics/crowd,other.*?wait=1h \(host)\r\n"
        case .waitingJSON: "GET /topics/crowd?wait=1h&as=json \(host)\r\n"
        case .answeredLarge: "GET /topics/large?since=latest \(host)\r\n"
        case .answeredLargeJSON: "GET /topics/large?since=latest&as=json \(host)\r\n"
        case .published:
            "POST /topics/published \(host)Content-Length: 5\r\n\r\nhello"
        case .pipelinedBehindAPoll:
            "GET /topics/crowd?wait=1h \(host)\r\nGET /healthz \(host)\r\nGET /heal"
        case .keptAlive: "GET /healthz \(host)\r\n"
        }
    }

    private func vanish(_ client: RawClient, using random: inout SeededRandom) {
        switch ways.randomElement(using: &random)! {
        case .close: client.close()
        case .reset: client.reset()
        case .halfCloseThenClose:
            client.halfClose()
            client.close()
        case .halfCloseThenReset:
            client.halfClose()
            client.reset()
        }
    }
}
