@testable import HTTPFront

extension ParserCheck {
    /// A loop that has kept some heads finds one for a request exactly if one of them, of the same port and
    /// rules, is like it.
    ///
    /// Input: up to eight requests, a NUL between them. Each is a letter, whose bits are whether it comes over
    /// TCP, and whether the rules change before it, then a target, then headers, one a line.
    static let headCache = ParserCheck("head-cache", bytesMax: 2048) { input in
        var cache = HeadCache()
        var kept: [KnownHead] = []
        var rules: UInt32 = 0
        let parts = input.split(separator: 0, maxSplits: HeadCache.headsOfSet - 1)
        for part in parts {
            let isOverTCP = part.first! & 1 == 1
            if part.first! & 2 == 2 {
                rules += 1
                kept = []
            }
            let request = RequestLines(UnsafeRawBufferPointer(rebasing: part.dropFirst()))
            guard let head = request.known(over: isOverTCP ? tcp : Peer(transport: .unix)) else {
                continue
            }
            try request.bytes.withUnsafeBytes { bytes in
                var match = KnownHead.Match.none
                let wanted = kept.filter { $0.port == head.port && $0.match(bytes, &match) }
                for guess in kept.map(\.hash) + [0, head.hash] {
                    let found = cache.find(bytes, at: head.port, under: rules, guess: guess)
                    try agree(
                        found.map { found in wanted.contains { $0 === found } },
                        wanted.isEmpty ? nil : true, "whether one that is like it is found")
                }
            }
            cache.keep(head, under: rules)
            kept.append(head)
        }
    }

    private static let tcp = Peer(
        transport: .tcp(
            local: SocketAddress(numeric: "127.0.0.1", port: 7464)!,
            remote: SocketAddress(numeric: "127.0.0.1", port: 40_000)!))
}
