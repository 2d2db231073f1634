import TestSupport
import Testing

@testable import HTTPFront

@Suite struct RandomInputTests {
    private static let seed = UInt64.random(in: .min ... .max)

    /// Mostly what a grammar cares about, now and then any byte.
    private func bytes(
        _ random: inout SeededRandom, from alphabet: String, start: String = ""
    ) -> [UInt8] {
        let alphabet = Array(alphabet.utf8)
        let tail = (0..<Int.random(in: 0...24, using: &random)).map { _ in
            Int.random(in: 0..<40, using: &random) == 0
                ? UInt8.random(in: .min ... .max, using: &random)
                : alphabet.randomElement(using: &random)!
        }
        return start.utf8 + tail
    }

    @Test func whatARandomTargetLetsThroughIsClean() throws {
        var random = SeededRandom(seed: Self.seed)
        var passed = 0
        for _ in 0..<20_000 {
            let raw = bytes(&random, from: "aZ0.~*>,/??&&==+%24%2f%C3%a9", start: "/")
            guard let target = raw.withUnsafeBytes({ try? RequestTarget($0) }) else { continue }
            passed += 1
            #expect(Array(target.raw.utf8) == raw, "seed \(Self.seed)")
            for part in target.path {
                #expect(
                    !part.utf8.contains(0) && !part.utf8.contains(UInt8(ascii: "/")),
                    "seed \(Self.seed)")
            }
            for item in target.query {
                #expect(!item.name.utf8.contains(0) && !item.value.utf8.contains(0))
            }
        }
        #expect(passed > 1000)
    }

    @Test func whatIsEncodedComesBack() throws {
        var random = SeededRandom(seed: Self.seed)
        for _ in 0..<5000 {
            let text = String(
                decoding: bytes(&random, from: "a %&=+#?é\u{2028}😀\n").filter { $0 != 0 },
                as: UTF8.self)
            let encoded = text.utf8.map { byte in
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            let item = try #require(RequestTarget("/?\(encoded)=\(encoded)").query.first)
            #expect([item.name, item.value] == [text, text], "seed \(Self.seed)")
            guard !text.utf8.contains(UInt8(ascii: "/")) else { continue }
            #expect(try RequestTarget("/x/" + encoded).path == ["x", text], "seed \(Self.seed)")
        }
    }

    @Test func aHostReadTwiceStaysTheSame() {
        var random = SeededRandom(seed: Self.seed)
        var passed = 0
        for _ in 0..<20_000 {
            let raw = bytes(&random, from: "aA1.-:[]07f", start: "")
            guard let host = raw.withUnsafeBytes({ Authority($0) }) else { continue }
            passed += 1
            if !host.host.hasSuffix(".") {
                #expect(Authority(host.description) == host, "seed \(Self.seed)")
            }
            #expect(host.host == host.host.lowercased(), "seed \(Self.seed)")
        }
        #expect(passed > 1000)
    }
}
