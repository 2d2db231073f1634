import Testing

@testable import BelfryClient

@Suite struct BusAddressTests {
    @Test(arguments: [
        ("http://localhost:7464", "http://localhost:7464"),
        ("http://localhost:7464/", "http://localhost:7464"),
        ("https://bus.example/belfry/", "https://bus.example/belfry"),
        ("/run/belfry/belfry.sock", "unix:/run/belfry/belfry.sock"),
        ("unix:/tmp/a", "unix:/tmp/a"),
    ])
    func anAddressIsWrittenAsItIsRead(text: String, written: String) {
        #expect(BusAddress(text)?.description == written)
    }

    @Test(arguments: [
        "", "localhost:7464", "ftp://a", "http://", "http://a b", "unix:a", "http://a?b",
    ])
    func whatIsNoAddressIsRefused(text: String) {
        #expect(BusAddress(text) == nil)
    }
}
