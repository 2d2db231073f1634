import JSON
import Testing

@Suite struct JSONFaultTests {
    private func fault(_ bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { JSONText.fault(in: $0) }
    }

    @Test(arguments: [
        "0", "-1.5e+3", "\"\"", " true\r\n", "null", "[]", "[ [ ], { } ]",
        "{\"a\":[1,2,{\"b\":false}]}",
        #""\u00e9\n\\\/\"""#, "\"é漢🙂\"", "{ \"a\" : 1 , \"a\" : 2 }", "1E0",
    ])
    func aTextOfJSONHasNoFault(text: String) {
        #expect(fault(Array(text.utf8)) == nil)
        // What is cut off is missed where it was, unless the rest is JSON too.
        let bytes = Array(text.utf8)
        for count in bytes.indices {
            let found = fault(Array(bytes[..<count]))
            #expect(found == nil || found! <= count)
        }
    }

    @Test(arguments: [
        ("", 0), ("x", 0), ("tru", 3), ("trux", 3), ("01", 1), ("1.", 2), ("-", 1), ("1e", 2),
        ("+1", 0), ("[1,]", 3), ("[1 2]", 3), ("{\"a\"}", 4), ("{\"a\":1,}", 7), ("{1:2}", 1),
        ("[}", 1), ("{\"a\":1]", 6), ("1 1", 2), ("\"\t\"", 1), (#""\x""#, 2), (#""\u12g4""#, 5),
        ("\"abc", 4), ("[[", 2), ("\u{FEFF}1", 0), ("NaN", 0), ("//", 0),
    ])
    func aFaultIsWhereItStopsBeingJSON(text: String, place: Int) {
        #expect(fault(Array(text.utf8)) == place)
    }

    @Test(
        arguments: [[0xFF], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] as [[UInt8]])
    func aStringOfOtherBytesThanUTF8IsAFault(bytes: [UInt8]) {
        #expect(fault([0x22, 0x61] + bytes + [0x22]) == 2)
    }

    @Test(arguments: [
        (#""\ud800""#, 7), (#""\ud800\u0041""#, 13), (#""\udc00""#, 7), ("1e309", 0),
        ("[1,-1e999]", 3),
    ])
    func whatOtherReadersCannotTakeInIsAFault(text: String, place: Int) {
        #expect(fault(Array(text.utf8)) == place)
    }

    @Test func aLevelTooManyIsAFaultWhereItBegins() {
        let levels = [UInt8](repeating: 0x5B, count: JSONLimits.depthMax)
        #expect(fault(levels + levels.map { $0 + 2 }) == nil)
        #expect(fault([0x5B] + levels + levels.map { $0 + 2 } + [0x5D]) == levels.count)
        #expect(fault([UInt8](repeating: 0x5B, count: 1_000_000)) == levels.count)
    }
}
