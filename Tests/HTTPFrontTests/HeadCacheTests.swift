import Testing

@testable import HTTPFront

/// Which heads a loop remembers, and for whom.
@Suite struct HeadCacheTests {
    private static func post(
        _ cookie: String, title: String = "x", to name: String = "a", body: String = ""
    ) -> [UInt8] {
        Array(
            ("POST /topics/\(name) HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n"
                + "Title: \(title)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
    }

    private func head(
        _ cookie: String, title: String = "x", over peer: Peer = Peer(transport: .unix)
    ) throws -> KnownHead {
        var fields = HeaderFields()
        for (name, value) in [("Host", "localhost"), ("Cookie", cookie), ("Title", title)] {
            fields.append(name, value)
        }
        let head = RequestHead(
            method: "POST", target: try RequestTarget("/topics/a"), headers: fields)
        return try #require(
            Self.post(cookie, title: title).withUnsafeBytes {
                KnownHead($0, of: head, at: peer.localPort)
            })
    }

    private func isKnown(
        _ bytes: [UInt8], in cache: inout HeadCache, at port: UInt16? = nil, under rules: UInt32 = 0
    ) -> Bool {
        bytes.withUnsafeBytes { cache.find($0, at: port, under: rules, guess: 0) != nil }
    }

    @Test func aGuessChangesNothingOfWhatIsFound() throws {
        var cache = HeadCache()
        let kept = try ["x", "y", "z"].map { try head($0) }
        for head in kept { cache.keep(head, under: 0) }
        for guess in kept.map(\.hash) + [0, .max] {
            for (header, known) in zip(["x", "y", "z"], kept) {
                let found = Self.post(header, to: "b").withUnsafeBytes {
                    cache.find($0, at: nil, under: 0, guess: guess)
                }
                #expect(found === known)
            }
            let unknown = Self.post("w").withUnsafeBytes {
                cache.find($0, at: nil, under: 0, guess: guess)
            }
            #expect(unknown == nil)
        }
    }

    @Test func aHeadIsKnownWithAnotherTargetAndBody() throws {
        var cache = HeadCache()
        #expect(!isKnown(Self.post("x"), in: &cache))
        cache.keep(try head("x"), under: 0)
        for name in ["a", "b", "a.b", "0", ".a", "a/b", "%61", "", "a?b=c"] {
            for body in ["", "x", "0123456789"] {
                #expect(isKnown(Self.post("x", to: name, body: body), in: &cache))
            }
        }
        #expect(!isKnown(Self.post("y"), in: &cache))
        #expect(!isKnown(Self.post("x").dropLast(), in: &cache))
        #expect(!isKnown([], in: &cache))
    }

    @Test func aHeadWithTextBeyondASCIIIsKnownBesideOneWithout() throws {
        var cache = HeadCache()
        let titles = ["Grüße", "Greetings"]
        for title in titles { cache.keep(try head("x", title: title), under: 0) }
        for title in titles { #expect(isKnown(Self.post("x", title: title), in: &cache)) }
    }

    @Test func aNoteIsKeptWithAKnownLineAlone() throws {
        final class Note {}
        let note = Note()
        let unknown = RequestHead(method: "GET", target: try RequestTarget("/"))
        unknown.note = note
        #expect(!unknown.keepsNote && unknown.note == nil)
        let known = try head("x").meaning
        #expect(known.keepsNote && known.note == nil)
        let others = RequestHead(like: known, target: nil, headers: HeaderFields())
        others.note = note
        #expect(known.note === note && others.note === note)
        let elsewhere = RequestHead(
            like: known, target: try RequestTarget("/topics/b"), headers: known.headers)
        #expect(!elsewhere.keepsNote && elsewhere.note == nil)
    }

    @Test func aHeadIsKnownAtItsPortAlone() throws {
        var cache = HeadCache()
        let local = try #require(SocketAddress(numeric: "127.0.0.1", port: 7464))
        let tcp = Peer(transport: .tcp(local: local, remote: local))
        cache.keep(try head("x", over: tcp), under: 0)
        #expect(isKnown(Self.post("x"), in: &cache, at: 7464))
        for port in [nil, 7465] as [UInt16?] {
            #expect(!isKnown(Self.post("x"), in: &cache, at: port))
        }
        cache.keep(try head("x"), under: 0)
        for port in [nil, 7464] as [UInt16?] {
            #expect(isKnown(Self.post("x"), in: &cache, at: port))
        }
    }

    @Test func otherRulesForgetAll() throws {
        var cache = HeadCache()
        cache.keep(try head("x"), under: 1)
        #expect(isKnown(Self.post("x"), in: &cache, under: 1))
        #expect(!isKnown(Self.post("x"), in: &cache, under: 2))
        #expect(!isKnown(Self.post("x"), in: &cache, under: 1))
        cache.keep(try head("x"), under: 1)
        cache.keep(try head("y"), under: 2)
        #expect(!isKnown(Self.post("x"), in: &cache, under: 2))
        #expect(isKnown(Self.post("y"), in: &cache, under: 2))
    }

    @Test func headsWithOneHashAreKnownBesideEachOther() throws {
        var cache = HeadCache()
        let most = HeadCache.headsOfSet
        for number in 1...most { cache.keep(try head("v\(number)"), under: 0) }
        for number in 1...most { #expect(isKnown(Self.post("v\(number)"), in: &cache)) }
        // The one that was used longest ago goes.
        #expect(isKnown(Self.post("v1"), in: &cache))
        cache.keep(try head("v\(most + 1)"), under: 0)
        for number in 1...most + 1 {
            #expect(isKnown(Self.post("v\(number)"), in: &cache) == (number != 2))
        }
    }

    @Test func aHeadThatIsKeptTwiceTakesNoSecondPlace() throws {
        var cache = HeadCache()
        for number in 1...3 { cache.keep(try head("v\(number)"), under: 0) }
        for _ in 0..<4 { cache.keep(try head("v4"), under: 0) }
        for number in 1...4 { #expect(isKnown(Self.post("v\(number)"), in: &cache)) }
    }

    @Test func whateverComesItKeepsNoMoreThanItsBound() throws {
        var cache = HeadCache()
        let count = 20 * HTTPFrontLimits.knownHeadsMax
        var kept: [Weak] = []
        for number in 0..<count {
            let head = try head("\(number)")
            kept.append(Weak(head: head))
            cache.keep(head, under: 0)
        }
        #expect(kept.count { $0.head != nil } <= HTTPFrontLimits.knownHeadsMax)
        withExtendedLifetime(cache) {}
    }

    private struct Weak {
        weak var head: KnownHead?
    }
}
