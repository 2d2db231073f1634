import Glibc
import TestSupport
import Testing

@testable import BelfryDaemon

/// Random files. `BELFRY_LONG` makes the run a hundred times as long, `BELFRY_SEED` repeats one.
struct LongConfigurationTests {
    private let rounds = getenv("BELFRY_LONG") == nil ? 2_000 : 200_000
    private let seed =
        getenv("BELFRY_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0..<(.max))

    /// Pieces that files are made of, most of them nearly right.
    private static let pieces =
        ConfigurationKey.all.flatMap { key in
            ["[\(key.section)]", key.name] + key.values(Configuration())
        } + [
            "\n", "\n", "\n", "\n", " = ", "=", " ;", " #", ":", "[", "]", "\r\n", "\t", " ", ",",
            "\0",
            "\u{FEFF}", "none", "auto", "0", "99999999999999999999", "7d", "1G", "é",
            String(repeating: "x", count: 199), String(repeating: "s", count: 50),
        ]

    @Test func noFileIsReadOtherwiseThanLineByLine() throws {
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for round in 0..<rounds {
            let count = Int.random(in: 0..<40, using: &random)
            var text = (0..<count).flatMap { _ in
                Array(Self.pieces.randomElement(using: &random)!.utf8)
            }
            if Int.random(in: 0..<8, using: &random) == 0, !text.isEmpty {
                text[Int.random(in: 0..<text.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
            let file = INIFile(text)
            let place = Comment("seed \(seed), round \(round)")
            try #require(file.fault.map { (1...lines.count).contains($0.line) } ?? true, place)
            var before = 0
            for setting in file.settings {
                try #require(setting.line > before && setting.line <= lines.count, place)
                before = setting.line
                // By bytes: a mark at the border belongs to another character there.
                let line = lines[setting.line - 1]
                let rest = try #require(line.behind(setting.key), place)
                try #require(rest.behind(setting.value) != nil, place)
            }
            if let configuration = try? Configuration(sources: [
                ConfigurationSource(file: "f", text: text)
            ]) {
                accepted += 1
                let again = try Configuration(sources: [
                    ConfigurationSource(file: "f", text: Array(configuration.text.utf8))
                ])
                try #require(again == configuration, place)
            }
        }
        #expect(accepted > 0 && accepted < rounds, "seed \(seed)")
    }
}

extension ArraySlice<UInt8> {
    /// What follows the first place where the text stands; nil where it stands nowhere.
    fileprivate func behind(_ text: String) -> ArraySlice<UInt8>? {
        if text.isEmpty { return self }
        return firstRange(of: Array(text.utf8)).map { self[$0.upperBound...] }
    }
}
