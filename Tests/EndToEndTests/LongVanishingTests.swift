import Glibc
import TestSupport
import Testing

/// Clients that disappear, ten thousand and more of them, leave nothing behind.
///
/// The short form sends 14,000 (under a sanitizer 10,000), the long one, with `BELFRY_LONG=1`,
/// more than 200,000 and waits for the daemon to miss by itself who left without a word.
@Suite(.blocking) struct LongVanishingTests {
    /// How many subscribers each topic has.
    private func subscribers(_ observer: RawClient) throws -> String {
        try observer.get("/topics").text
            .matches(of: #/"name":"([^"]+)"[^}]*"subscribers":(\d+)/#)
            .map { "\($0.1)=\($0.2)" }.joined(separator: " ")
    }

    private static let isLong = getenv("BELFRY_LONG") != nil
    private static let count = isLong ? 200_000 : Sanitizer.isOn ? 2_000 : 6_000
    private static let warmUp = 4_000

    /// What memory may grow by after the warm-up: less than a kilobyte a client. What an allocator
    /// keeps of 100 answers of 400 KB at a time differs by several megabytes from run to run.
    private static let growthBytesMax = 18 << 20

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
            try crowd.pass(count)
            // Who half-closes and then leaves sends no word of it over TCP: waiters are looked at
            // again every 15 s, or noticed when they are answered.
            if ways.count > 2, !Self.isLong { try observer.publish("x", to: "crowd") }
            try eventually("nobody is counted any more", within: Self.isLong ? 25 : 5) {
                try subscribers(observer) == nobody
            }
            try eventually("at most \(descriptorsMax) descriptors are open", within: 60) {
                daemon.openDescriptors <= descriptorsMax
            }
        }
        // Each loop opens its socket to the kernel's table with the first connection it gets.
        try pass(Self.warmUp, [.close, .reset], descriptorsMax: before + 2)
        let descriptors = daemon.openDescriptors
        try pass(Self.warmUp, VanishingCrowd.Way.allCases, descriptorsMax: descriptors)
        let warm = daemon.residentBytes
        try pass(Self.count, VanishingCrowd.Way.allCases, descriptorsMax: descriptors)
        let grown = daemon.residentBytes - warm
        #expect(
            grown < Self.growthBytesMax || Sanitizer.isOn,
            "resident memory grew by \(grown) bytes")
        #expect(try observer.exchange("HEAD", "/topics/never").status == 404)

        let poller = try daemon.connect()
        try poller.send("GET", "/topics/crowd")
        try observer.await(subscribers: 1, of: "crowd")
        let answer = try observer.exchange("POST", "/topics/crowd", body: [0x78])
        #expect(answer.text.hasSuffix("\"subscribers\":1}\n"))
        #expect(try poller.readAnswer().text == "x")
        // Under a sanitizer it is here that the daemon says what it has found.
        #expect(try daemon.terminate() == .exited(0))
    }
}
