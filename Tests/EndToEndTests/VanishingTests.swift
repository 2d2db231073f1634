import Glibc
import TestSupport
import Testing

/// Ten thousand clients that disappear leave nothing behind.
@Suite struct VanishingTests {
    /// How many subscribers each topic has.
    private func subscribers(_ observer: RawClient) throws -> String {
        try observer.get("/topics").text
            .matches(of: #/"name":"([^"]+)"[^}]*"subscribers":(\d+)/#)
            .map { "\($0.1)=\($0.2)" }.joined(separator: " ")
    }

    /// The short form sends 10,000 clients, the long one, with `BELFRY_LONG=1`, 200,000.
    private static let isLong = getenv("BELFRY_LONG") != nil
    private static let count = isLong ? 200_000 : 8_000
    private static let warmUp = 2_000

    /// What memory may grow by after the warm-up. 8,000 leaks of a connection's record and its
    /// libmicrohttpd memory would be 130 MB; what an allocator keeps differs by a few.
    private static let growthBytesMax = 12 << 20

    @Test func nothingIsLeftBehind() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = 2\n")
        let observer = try daemon.connect()
        for topic in ["crowd", "large", "other.a", "published"] { try observer.register(topic) }
        try observer.register("published", "?keep=100")
        try observer.publish(String(repeating: "x", count: 400_000), to: "large")
        let nobody = "crowd=0 large=0 other.a=0 published=0"
        #expect(try subscribers(observer) == nobody)
        let before = daemon.openDescriptors

        var random = SeededRandom(for: "vanishing clients")
        func pass(_ count: Int, _ ways: [VanishingCrowd.Way], descriptorsMax: Int) throws {
            let crowd = VanishingCrowd(
                addresses: [daemon.tcp, daemon.unix], seed: random.next(), ways: ways)
            try crowd.pass(count, within: .seconds(Self.isLong ? 600 : 40))
            // Who half-closes and then leaves sends no word of it over TCP: waiters are looked at
            // again every 15 s, or noticed when they are answered.
            if ways.count > 2, !Self.isLong { try observer.publish("x", to: "crowd") }
            try eventually("nobody is counted any more", within: Self.isLong ? 25 : 5) {
                try subscribers(observer) == nobody
            }
            try eventually("at most \(descriptorsMax) descriptors are open", within: 5) {
                daemon.openDescriptors <= descriptorsMax
            }
        }
        // Each loop opens its socket to the kernel's table with the first connection it gets.
        try pass(Self.warmUp, [.close, .reset], descriptorsMax: before + 2)
        let (warm, descriptors) = (daemon.residentBytes, daemon.openDescriptors)
        try pass(Self.count, VanishingCrowd.Way.allCases, descriptorsMax: descriptors)
        let grown = daemon.residentBytes - warm
        #expect(grown < Self.growthBytesMax, "resident memory grew by \(grown) bytes")
        #expect(try observer.exchange("HEAD", "/topics/never").status == 404)

        let poller = try daemon.connect()
        try poller.send("GET", "/topics/crowd")
        try observer.await(subscribers: 1, of: "crowd")
        let answer = try observer.exchange("POST", "/topics/crowd", body: [0x78])
        #expect(answer.text.hasSuffix("\"subscribers\":1}\n"))
        #expect(try poller.readAnswer().text == "x")
    }

    @Test(arguments: [false, true])
    func aWaiterThatIsGoneIsNoSubscriberAnyMore(overUnix: Bool) throws {
        let daemon = try RunningDaemon()
        let observer = try daemon.connect()
        try observer.register("t")
        for way in VanishingCrowd.Way.allCases {
            let pollers = try (0..<20).map { _ in
                let poller = try RawClient(overUnix ? daemon.unix : daemon.tcp)
                try poller.send("GET", "/topics/t?wait=1h")
                return poller
            }
            try observer.await(subscribers: 20, of: "t")
            for poller in pollers {
                switch way {
                case .close: poller.close()
                case .reset: poller.reset()
                case .halfCloseThenClose, .halfCloseThenReset:
                    poller.halfClose()
                    way == .halfCloseThenClose ? poller.close() : poller.reset()
                }
            }
            try observer.await(subscribers: 0, of: "t", within: 5)
        }
    }

    @Test func aReaderThatVanishesInTheMiddleOfALargeAnswerFreesIt() throws {
        let daemon = try RunningDaemon()
        let observer = try daemon.connect()
        try observer.register("t")
        try observer.publish(String(repeating: "x", count: 1 << 20), to: "t")
        let before = daemon.openDescriptors
        for address in [daemon.tcp, daemon.unix] {
            for isReset in [false, true] {
                let readers = try (0..<30).map { _ in
                    let reader = try RawClient(address)
                    try reader.send("GET", "/topics/t?since=latest&as=json")
                    return reader
                }
                for reader in readers {
                    var byte: UInt8 = 0
                    try #require(recv(reader.descriptor, &byte, 1, 0) == 1)
                    isReset ? reader.reset() : reader.close()
                }
                try eventually("their descriptors are closed", within: 5) {
                    daemon.openDescriptors == before
                }
            }
        }
    }
}
