import Testing
import Topics

struct NameTests {
    @Test(arguments: [
        "a", "Z9", "a.b", "a-b_c.d", "0", "-", "_._", "$SYS", "$SYS.x", "$-",
        String(repeating: "x", count: 255),
    ])
    func aNameOfSegmentsIsTaken(text: String) throws {
        let name = try TopicName(text)
        #expect(name.text == text)
        #expect(name.isReserved == text.hasPrefix("$"))
        #expect(try TopicPattern(text).matches(name))
    }

    @Test(arguments: [
        ("", "index 0"), (".", "index 0"), ("a.", "index 2"), (".a", "index 0"),
        ("a..b", "index 2"), ("a b", "the space at index 1"), ("a/b", "'/' at index 1"),
        ("ä", "'ä' at index 0"), ("a\0", "the byte 0x00 at index 1"),
        ("a.*", "'*' at index 2"), ("a.>", "'>' at index 2"),
        ("a.$b", "'$' at index 2"), ("$", "index 1"), ("$$", "'$' at index 1"),
        ("a,b", "',' at index 1"), ("a\n", "the line end at index 1"),
        ("a\t", "the tab at index 1"), ("a\u{202E}", "the character U+202E at index 1"),
        ("日", "'日' at index 0"),
    ])
    func anythingElseIsRefusedWithItsPlace(text: String, place: String) {
        let error = #expect(throws: NameError.self) { try TopicName(text) }
        #expect(error?.detail.contains(place) == true, "\(error?.detail ?? "")")
    }

    @Test func aNameOf256BytesIsRefused() {
        let error = #expect(throws: NameError.self) {
            try TopicName(String(repeating: "x", count: 256))
        }
        #expect(error?.detail.contains("256 bytes") == true)
    }

    @Test func namesAreEqualByTheirBytes() throws {
        #expect(try TopicName("a.b") == TopicName("a.b"))
        #expect(try TopicName("a.b") != TopicName("a.B"))
        #expect(try Set([TopicName("a"), TopicName("a"), TopicName("b")]).count == 2)
    }

    @Test(arguments: [
        ("*", "a", true), ("*", "a.b", false), ("*", "$a", false), (">", "a", true),
        (">", "a.b.c", true), (">", "$SYS", false), ("a.*", "a.b", true), ("a.*", "a", false),
        ("a.*", "a.b.c", false), ("a.>", "a", false), ("a.>", "a.b.c", true),
        ("*.b", "a.b", true), ("*.b", "a.c", false), ("a.*.c", "a.b.c", true),
        ("a.*.c", "a.b.d", false), ("*.*", "a.b", true), ("*.*", "a", false),
        ("*.>", "a.b.c", true), ("*.>", "a", false), ("ab.*", "a.b", false), ("a", "a", true),
        ("a", "ab", false), ("ab", "a", false), ("$SYS", "$SYS", true), ("a.*", "ab.c", false),
    ])
    func wildcardsStandForSegments(pattern: String, name: String, matches: Bool) throws {
        #expect(try TopicPattern(pattern).matches(TopicName(name)) == matches)
        #expect(try Selector(pattern).matches(TopicName(name)) == matches)
    }

    @Test(arguments: [
        ("a*", "'*' at index 1"), ("*a", "'*' at index 0"),
        ("a.>.b", "index 2"), (">a", "'>' at index 0"), ("**", "'*' at index 0"),
        ("$SYS.*", "index 0"), ("$SYS.>", "index 0"),
    ])
    func aMisplacedWildcardIsRefused(text: String, place: String) {
        let error = #expect(throws: NameError.self) { try TopicPattern(text) }
        #expect(error?.detail.contains(place) == true, "\(error?.detail ?? "")")
    }

    @Test func aSelectorJoinsNamesAndPatternsAndCountsEachOnce() throws {
        let selector = try Selector("a,b.*,a")
        #expect(selector.terms.map(\.description) == ["a", "b.*"])
        #expect(selector.singleName == nil)
        #expect(try selector.matches(TopicName("a")))
        #expect(try selector.matches(TopicName("b.c")))
        #expect(try !selector.matches(TopicName("b")))
        #expect(selector.description == "a,b.*")
        #expect(try Selector("a,a") == Selector(TopicName("a")))
        #expect(try Selector("a").singleName == TopicName("a"))
    }

    @Test(arguments: [
        ("", "index 0"), ("a,", "index 2"), (",a", "index 0"), ("a,,b", "index 2"),
        ("a,b c", "the space at index 3"), ("a, b", "the space at index 2"),
        ("a,b.>.c", "index 4"),
    ])
    func aBadTermIsNamedByItsPlaceInTheSelector(text: String, place: String) {
        let error = #expect(throws: NameError.self) { try Selector(text) }
        #expect(error?.detail.contains(place) == true, "\(error?.detail ?? "")")
    }

    @Test func aSelectorHasAtMost128Terms() throws {
        let most = (0..<128).map { "t\($0)" }.joined(separator: ",")
        #expect(try Selector(most).terms.count == 128)
        #expect(throws: NameError.self) { try Selector(most + ",one-more") }
    }
}
