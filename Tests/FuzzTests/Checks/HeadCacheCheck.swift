@testable import HTTPFront

extension ParserCheck {
    /// A loop that has kept some heads finds one for a request exactly if one of them, of the same port and
    /// rules, is known in it; and what it found, read anew, means the same.
    ///
    /// Input: up to eight requests, a NUL between them. Each is a letter, whose bits are whether it comes over
    /// TCP, and whether the rules change before it, then a target, then headers, one a line.
    static let headCache = ParserCheck("head-cache", bytesMax: 2048) { input in
        var cache = HeadCache()
        var kept: [(request: KeptPublish, head: KnownHead)] = []
        var rules: UInt64 = 0
        let parts = input.split(separator: 0, maxSplits: HeadCache.headsOfSet - 1)
        for part in parts {
            let isOverTCP = part.first! & 1 == 1
            if part.first! & 2 == 2 {
                rules += 1
                kept = []
            }
            let rest = UnsafeRawBufferPointer(rebasing: part.dropFirst())
            guard let request = KeptPublish(rest, name: \.lastSegmentRange),
                let head = knownHead(request, over: isOverTCP ? tcp : Peer(transport: .unix))
            else { continue }
            let bytes = request.request.bytes + request.body
            let wanted = kept.filter { other in
                other.head.port == head.port
                    && bytes.withUnsafeBytes { other.head.pattern.parts(of: $0) } != nil
            }
            for guess in kept.map(\.head.hash) + [0, head.hash] {
                let found = bytes.withUnsafeBytes {
                    cache.find($0, at: head.port, under: rules, guess: guess)
                }
                guard let found else {
                    try hold(wanted.isEmpty, "a head that was kept is not found")
                    continue
                }
                guard let source = wanted.first(where: { $0.head === found }) else {
                    throw Broken(description: "a head that does not fit is found")
                }
                try compare(source.request.head, request.head)
            }
            cache.keep(head, under: rules)
            kept.append((request, head))
        }
    }

    private static let tcp = Peer(
        transport: .tcp(
            local: SocketAddress(numeric: "127.0.0.1", port: 7464)!,
            remote: SocketAddress(numeric: "127.0.0.1", port: 40_000)!))

    private final class Nothing: KnownRequest {
        func handle(_ differences: RequestDifferences, _ exchange: Exchange) {}
    }

    private static func knownHead(_ request: KeptPublish, over peer: Peer) -> KnownHead? {
        let (head, target) = (request.head, Array(request.head.target.raw.utf8))
        let parsed = target.withUnsafeBytes {
            ActiveRequest(number: 1, target: $0, body: BodyBuffer(memory: .init(bytesMax: 1)))
        }
        parsed.head = RequestHead(
            method: head.method, target: head.target, headers: head.headers, peer: peer)
        return KnownHead(request.pattern, of: parsed, handled: Nothing())
    }

    /// All that two heads mean but for the name and the length.
    private static func compare(_ one: RequestHead, _ other: RequestHead) throws(Broken) {
        func rest(_ head: RequestHead) -> [String] {
            head.target.path.dropLast() + ["?"] + head.target.query.map { "\($0.name)=\($0.value)" }
        }
        try agree(rest(one), rest(other), "the target but for the name")
        try agree(one.headers.count, other.headers.count, "the headers")
        try agree(one.keepsAlive, other.keepsAlive, "whether the connection stays")
    }
}
