import Testing

@testable import HTTPFront

@Suite struct HostPolicyTests {
    @Test(arguments: [
        "localhost", "LOCALHOST:7464", "localhost.", "localhost.:7464", "a.localhost",
        "a.b.Localhost.", "127.0.0.1", "127.0.0.1:7464", "127.255.255.254", "127.0.0.1.",
        "[::1]", "[::1]:7464", "[0:0:0:0:0:0:0:1]", "localhost:",
    ])
    func loopbackNamesAreOurs(host: String) throws {
        let authority = try #require(Authority(host))
        #expect(HostPolicy().admits(authority, at: 7464))
    }

    @Test(arguments: [
        "localhost:80", "localhost:17464", "[::1]:1", "evil.example", "localhost.evil.example",
        "evillocalhost", ".localhost", "localhost..", "127.1", "127.0.0", "127.0.0.256",
        "127.0.0.01", "0127.0.0.1", "0177.0.0.1", "2130706433", "0x7f.0.0.1", "127.0.0.1.2",
        "127.0.0.1.evil.example", "128.0.0.1", "0.0.0.0", "[::]", "[::2]", "[::ffff:127.0.0.1]",
        "127..0.1", "127.0.0.a", "localhost4", "_", "127.0.0.",
    ])
    func everyOtherNameIsForeign(host: String) throws {
        let authority = try #require(Authority(host))
        #expect(!HostPolicy().admits(authority, at: 7464))
    }

    @Test(arguments: [
        "", ":", ":80", ".", "[", "[]", "[::1", "::1", "[::1]x", "[::1]7464", "[::1%25lo]",
        "[127.0.0.1]", "a b", "a/b", "user@localhost", "localhost:x", "localhost:65536",
        "localhost:000080", "localhost:-1", "localhost:1:2", "local%68ost", "a,b", "é", "a\u{0}",
        "[::1\u{0}]", "localhost#", "localhost?",
    ])
    func whatIsNoHostIsNotRead(host: String) {
        #expect(Authority(host) == nil)
    }

    @Test func configuredNamesAreOursAtOurPortOrTheirOwn() throws {
        let policy = try HostPolicy(allowing: ["Bus.Example.", "far.example:443", "[fe80::0:1]"])
        func admits(_ host: String) -> Bool { policy.admits(Authority(host)!, at: 7464) }
        #expect(admits("bus.example"))
        #expect(admits("BUS.EXAMPLE.:7464"))
        #expect(!admits("bus.example:80"))
        #expect(admits("far.example:443"))
        #expect(!admits("far.example"))
        #expect(!admits("far.example:7464"))
        #expect(admits("[fe80::1]:7464"))
        #expect(!admits("sub.bus.example"))
        #expect(admits("localhost"))
    }

    @Test func withoutAPortOfOursAnyGoesWithAName() throws {
        let policy = try HostPolicy(allowing: ["bus.example", "far.example:443"])
        for (host, isOurs) in [
            ("localhost:1", true), ("bus.example:1", true), ("far.example:443", true),
            ("far.example:1", false), ("far.example", false), ("evil.example", false),
        ] {
            #expect(policy.admits(try #require(Authority(host)), at: nil) == isOurs, "\(host)")
        }
    }

    @Test(arguments: ["", "a b", "http://bus.example", "bus.example/"])
    func aConfiguredNameThatNoHostCanSayIsRefused(name: String) {
        #expect(throws: ConfigurationError.self) { try HostPolicy(allowing: [name]) }
    }
}
