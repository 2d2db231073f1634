import TestSupport
import Testing

@testable import Topics

@Suite struct EventLabelsTests {
    private static func refusal(_ values: [String: String]) -> String? {
        do {
            _ = try EventLabels(values)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func namesValuesAndTheirNumberAreBounded() {
        let long = String(repeating: "v", count: 255)
        #expect(Self.refusal(["a0": "x", String(repeating: "n", count: 20): long]) == nil)
        for name in ["", "A", "a-b", "ä", "a b", String(repeating: "n", count: 21)] {
            #expect(Self.refusal([name: "x"])?.contains("is no name of a label") == true)
        }
        for value in ["", long + "v", "a\nb", "\u{7F}", "\0"] {
            #expect(Self.refusal(["a": value])?.contains("control characters") == true)
        }
        var many = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", "x") })
        for label in DeathLabel.allCases { many[label.rawValue] = "x" }
        #expect(Self.refusal(many) == nil)
        many["n16"] = "x"
        #expect(Self.refusal(many)?.contains("17 labels") == true)
        let large = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", long) })
        #expect(Self.refusal(large)?.contains("4096 bytes together") == true)
    }

    @Test func anotherDeathTakesThePlaceOfAnEarlierOneAndLeavesTheRest() throws {
        let labels = try EventLabels(["source": "a", "deadgroup": "old", "deadreason": "old"])
        let dead = try labels.dying([.group: "new", .attempts: "3"])
        #expect(
            dead == (try EventLabels(["source": "a", "deadgroup": "new", "deadattempts": "3"])))
        #expect(dead["deadgroup"] == "new" && dead["deadreason"] == nil)
    }

    @Test(arguments: [1, SeededRandom.runSeed])
    func theTextOfLabelsReadsAsTheSame(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // U+0301 joins the character before it, the sign between a name and its value too.
        let characters = Array("az09=\"\\ ä€🙂,;:{}\u{301}".unicodeScalars)
        #expect(try EventLabels(text: EventLabels.none.text) == .none)
        for _ in 0..<200 {
            var values: [String: String] = [:]
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let count = Int.random(in: 1...12, using: &random)
                var value = String.UnicodeScalarView()
                for _ in 0..<count { value.append(characters.randomElement(using: &random)!) }
                values["n\(Int.random(in: 0...99, using: &random))"] = String(value)
            }
            let labels = try EventLabels(values)
            #expect(try EventLabels(text: labels.text) == labels)
            #expect(Set(labels.all.map(\.name)) == Set(values.keys))
        }
    }

    @Test func attributesThatDifferInLabelsOrExpiryAreNotTheSame() throws {
        let plain = try EventMetadata(type: "t")
        let labels = try EventLabels(["a": "b"])
        let time = Timestamp(microseconds: 5)
        let all = [
            EventMetadata.none, plain, plain.with(labels, expires: nil),
            plain.with(.none, expires: time), plain.with(labels, expires: time),
            EventMetadata.none.with(labels, expires: time),
        ]
        for (index, one) in all.enumerated() {
            for (other, two) in all.enumerated() { #expect((one == two) == (index == other)) }
            let again = one.with(one.labels, expires: one.expires)
            #expect(again == one && again.hashValue == one.hashValue)
            #expect(one.with(.none, expires: nil) == (one.type == nil ? .none : plain))
        }
    }
}
