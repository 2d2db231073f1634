import Testing

@testable import HTTPFront

@Suite struct HeaderFieldsTests {
    private let fields: HeaderFields = {
        var fields = HeaderFields()
        fields.append("Host", "localhost")
        fields.append("ACCEPT", " \ttext/plain \t")
        fields.append("Accept", "a/b")
        fields.append("X-Empty", "  ")
        fields.append("Connection", "keep-alive ,, Close")
        return fields
    }()

    @Test func namesAreFoundInAnyCase() {
        #expect(fields.first("host") == "localhost")
        #expect(fields.first("accept") == "text/plain")
        #expect(fields.first("accep") == nil)
        #expect(fields.first("accept-") == nil)
    }

    @Test func repeatedFieldsKeepTheirOrder() {
        #expect(fields.all("accept") == ["text/plain", "a/b"])
        #expect(fields.occurrences(of: "accept") == 2)
        #expect(fields.occurrences(of: "origin") == 0)
        #expect(fields.count == 5)
    }

    @Test func severalNamesAreLookedForTogether() {
        let some = HeaderNames("origin", "x-empty", "accept")
        #expect(fields.first(of: some).map { "\($0)" } == "x-empty")
        #expect(fields.first(of: HeaderNames("x-ampty", "origin")) == nil)
        #expect(fields.mayBegin(like: HeaderNames("x-", "origin")))
        #expect(!fields.mayBegin(like: HeaderNames("ce-", "event-", "traceparent")))
        #expect(!HeaderFields().mayBegin(like: HeaderNames("ce-")))
    }

    @Test func anEmptyValueIsNotAnAbsentOne() {
        #expect(fields.first("x-empty") == "")
    }

    @Test func listsAreSearchedByElement() {
        #expect(fields.list("connection", contains: "close"))
        #expect(fields.list("connection", contains: "keep-alive"))
        #expect(!fields.list("connection", contains: "keep"))
        #expect(!fields.list("accept", contains: "close"))
    }

    @Test func iterationGivesTheBytesAsTheyCame() {
        var seen: [String] = []
        fields.forEach { name, value in
            seen.append(
                String(decoding: name, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self)
            )
        }
        #expect(
            seen == [
                "Host=localhost", "ACCEPT=text/plain", "Accept=a/b", "X-Empty=",
                "Connection=keep-alive ,, Close",
            ])
    }

    @Test func everyByteIsATokenCharacterExactlyAsTheGrammarSays() {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let grammar = Set((letters + letters.uppercased() + "0123456789!#$%&'*+-.^_`|~").utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isTokenCharacter == grammar.contains(byte), "byte \(byte)")
        }
    }
}
