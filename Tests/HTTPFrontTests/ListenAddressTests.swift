import Testing

@testable import HTTPFront

@Suite struct ListenAddressTests {
    @Test(arguments: [
        "127.0.0.1:7464", "[::1]:7464", "0.0.0.0:0", "[::]:65535", "unix:/run/belfry/belfry.sock",
        "unix:relative.sock",
    ])
    func addressesAreWrittenAsTheyAreRead(text: String) throws {
        #expect(try ListenAddress(text).description == text)
    }

    @Test(arguments: [
        "", "7464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
        "127.0.0.1:7x", "localhost:7464", "::1:7464", "[::1]", "[::1:7464", "127.1:7464", ":7464",
        "[127.0.0.1]:1", "unix:", "unix:\u{0}", "unix:" + String(repeating: "a", count: 108),
        "127.0.0.1:99999999999999999999",
    ])
    func whatCannotBeBoundIsRefusedWithASentence(text: String) {
        let error = #expect(throws: ConfigurationError.self) { try ListenAddress(text) }
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test func thePathOfAUnixSocketMayFillItsAddress() throws {
        let path = String(repeating: "a", count: HTTPFrontLimits.unixPathBytesMax)
        #expect(
            try ListenAddress("unix:" + path)
                == .unix(path: path, mode: ListenAddress.unixModeDefault))
    }

    @Test func boundAddressesAreWrittenForTheReadyLine() {
        let tcp = BoundAddress.tcp(SocketAddress(numeric: "[::1]", port: 7464)!)
        #expect(tcp.description == "tcp=[::1]:7464")
        #expect(tcp.port == 7464)
        #expect(BoundAddress.unix(path: "/run/s").description == "unix=/run/s")
        #expect(BoundAddress.unix(path: "/run/s").port == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("126.0.0.1", false), ("0.0.0.0", false),
        ("[::1]", true), ("[::2]", false), ("[::]", false), ("[::ffff:127.0.0.1]", true),
        ("[::ffff:10.0.0.1]", false), ("[::127.0.0.1]", false),
    ])
    func loopbackIsKnownInEveryFamily(text: String, isLoopback: Bool) throws {
        #expect(try #require(SocketAddress(numeric: text, port: 1)).isLoopback == isLoopback)
    }
}
