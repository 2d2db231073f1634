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
        many["traceparent"] = "x"
        many["tracestate"] = String(repeating: "v", count: 512)
        #expect(Self.refusal(many) == nil)
        many["n16"] = "x"
        #expect(Self.refusal(many)?.contains("17 attributes") == true)
        let large = Dictionary(uniqueKeysWithValues: (0..<16).map { ("n\($0)", long) })
        #expect(Self.refusal(large)?.contains("4096 bytes together") == true)
    }

    @Test func namesOfTheBusAreRefusedToPublishers() {
        for name in ["dead", "deadgroup", "deadx", "origin", "originid"] {
            #expect(Self.refusal([name: "x"])?.contains("one of the bus's own") == true)
        }
        #expect(Self.refusal(["adead": "x", "run": "x", "orig": "x"]) == nil)
    }

    @Test func anotherDeathTakesThePlaceOfAnEarlierOneAndLeavesTheRest() throws {
        let attributes = try EventAttributes(text: "deadgroup=old\ndeadreason=old\nsource=a")
        let dead = try attributes.dying([.group: "new", .attempts: "3"])
        #expect(
            dead == (try EventAttributes(text: "deadattempts=3\ndeadgroup=new\nsource=a")))
        #expect(dead["deadgroup"] == "new" && dead["deadreason"] == nil)
        #expect(dead.revived == (try EventAttributes(["source": "a"])))
    }

    @Test func aLetterHasRoomForEveryAttributeOfItsEvent() throws {
        let long = String(repeating: "v", count: 253)
        let full = Dictionary(uniqueKeysWithValues: (10..<26).map { ("n\($0)", long) })
        let attributes = try EventAttributes(full)
        let death = DeathAttribute.allCases.map { ($0, long) }
        let dead = try attributes.dying(Dictionary(uniqueKeysWithValues: death))
        #expect(dead.all.count == 22 && dead.has(attributes) && !attributes.has(dead))
    }

    @Test func aTextWithANameTwiceIsNone() {
        #expect(throws: AttributeError.self) { try EventAttributes(text: "a=1\na=1") }
    }

    @Test func onlyWhatATracerUnderstandsIsATrace() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let odd = [
            "", "00", "x" + parent, parent + "-", parent + "0", parent.uppercased(),
            "ff" + parent.dropFirst(2), "01" + parent.dropFirst(2) + "x",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0ä",
        ]
        for text in odd { #expect(TraceAttribute.parent.value(of: text) == nil, "\(text)") }
        for text in [parent, "01" + parent.dropFirst(2) + "-later"] {
            #expect(TraceAttribute.parent.value(of: text) == text)
        }
        let long = String(repeating: "v", count: 512)
        for text in ["", long + "v", "a=ä", "a=\t"] {
            #expect(TraceAttribute.state.value(of: text) == nil)
        }
        for text in [long, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"] {
            #expect(TraceAttribute.state.value(of: text) == text)
        }
    }

    @Test(arguments: [1, SeededRandom.runSeed])
    func theTextOfAttributesReadsAsTheSame(seed: UInt64) throws {
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

    @Test func fieldsThatDifferInAttributesOrExpiryAreNotTheSame() throws {
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
