import TestSupport
import Testing

@testable import Topics

@Suite struct EventAttributesTests {
    private static func refusal(_ values: [String: String]) -> String? {
        do {
            _ = try EventAttributes(values)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func namesValuesAndTheirNumberAreBounded() {
        let long = String(repeating: "v", count: 255)
        #expect(Self.refusal(["a0": "x", String(repeating: "n", count: 20): long]) == nil)
        for name in ["", "A", "a-b", "ä", "a b", String(repeating: "n", count: 21)] {
            #expect(Self.refusal([name: "x"])?.contains("is no name of an attribute") == true)
        }
        for value in ["", long + "v", "a\nb", "\u{7F}", "\0"] {
            #expect(Self.refusal(["a": value])?.contains("control characters") == true)
        }
        var many = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", "x") })
        for attribute in DeathAttribute.allCases { many[attribute.rawValue] = "x" }
        #expect(Self.refusal(many) == nil)
        many["n16"] = "x"
        #expect(Self.refusal(many)?.contains("17 attributes") == true)
        let large = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", long) })
        #expect(Self.refusal(large)?.contains("4096 bytes together") == true)
    }

    @Test func anotherDeathTakesThePlaceOfAnEarlierOneAndLeavesTheRest() throws {
        let attributes = try EventAttributes([
            "source": "a", "deadgroup": "old", "deadreason": "old",
        ])
        let dead = try attributes.dying([.group: "new", .attempts: "3"])
        #expect(
            dead == (try EventAttributes(["source": "a", "deadgroup": "new", "deadattempts": "3"])))
        #expect(dead["deadgroup"] == "new" && dead["deadreason"] == nil)
    }

    @Test(arguments: [1, SeededRandom.runSeed])
    func theTextOfLabelsReadsAsTheSame(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // U+0301 joins the character before it, the sign between a name and its value too.
        let characters = Array("az09=\"\\ ä€🙂,;:{}\u{301}".unicodeScalars)
        #expect(try EventAttributes(text: EventAttributes.none.text) == .none)
        for _ in 0..<200 {
            var values: [String: String] = [:]
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let count = Int.random(in: 1...12, using: &random)
                var value = String.UnicodeScalarView()
                for _ in 0..<count { value.append(characters.randomElement(using: &random)!) }
                values["n\(Int.random(in: 0...99, using: &random))"] = String(value)
            }
            let attributes = try EventAttributes(values)
            #expect(try EventAttributes(text: attributes.text) == attributes)
            #expect(Set(attributes.all.map(\.name)) == Set(values.keys))
        }
    }

    @Test func attributesThatDifferInLabelsOrExpiryAreNotTheSame() throws {
        let plain = try EventMetadata(type: "t")
        let attributes = try EventAttributes(["a": "b"])
        let time = Timestamp(microseconds: 5)
        let all = [
            EventMetadata.none, plain, plain.with(attributes, expires: nil),
            plain.with(.none, expires: time), plain.with(attributes, expires: time),
            EventMetadata.none.with(attributes, expires: time),
        ]
        for (index, one) in all.enumerated() {
            for (other, two) in all.enumerated() { #expect((one == two) == (index == other)) }
            let again = one.with(one.attributes, expires: one.expires)
            #expect(again == one && again.hashValue == one.hashValue)
            #expect(one.with(.none, expires: nil) == (one.type == nil ? .none : plain))
        }
    }
}
