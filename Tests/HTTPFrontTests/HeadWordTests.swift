import Testing

@testable import HTTPFront

/// By which bytes a POST without a body is known to be one that was parsed before.
@Suite struct HeadWordTests {
    private static let take =
        "POST /a/next?worker=w1&done=abc-_X&b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"

    /// The pattern of a request, whose value and name are those of the parameters of these names.
    private func pattern(
        _ text: String = Self.take, value: String? = "done", name: String? = "worker",
        method: String = "POST", length: RequestHead.BodyLength = .counted(0),
        headers: [String] = ["Host", "Content-Length"]
    ) throws -> HeadPattern? {
        let target = try RequestTarget(String(text.split(separator: " ")[1]))
        var fields = HeaderFields()
        for name in headers { fields.append(name, "0") }
        let head = RequestHead(
            method: method, target: target, headers: fields, peer: Peer(transport: .unix),
            bodyLength: length)
        func place(_ name: String?) -> Range<Int>? {
            target.query.first { $0.name == name }?.valueRange
        }
        return Array(text.utf8).withUnsafeBytes { bytes in
            HeadPattern(
                SeenInput(bytes), headBytes: bytes.count, head: head,
                valueAt: place(value).map { .word($0) } ?? .nowhere, name: place(name))
        }
    }

    /// What stands at both places of an input that is known, also by its hash.
    private func known(_ text: String, by pattern: HeadPattern) -> [String]? {
        Array(text.utf8).withUnsafeBytes { bytes in
            guard let parts = pattern.parts(of: bytes) else { return nil }
            #expect(HeadHash(of: bytes)?.value == pattern.hash)
            #expect(parts.body.isEmpty)
            return [parts.name, parts.value].map { String(decoding: bytes[$0], as: UTF8.self) }
        }
    }

    @Test(arguments: ["abc-_X", "0", "Zz", "a.b", "-", String(repeating: "n", count: 500)])
    func anotherWordIsKnownBesideAnotherName(word: String) throws {
        let pattern = try #require(try pattern())
        for name in ["w1", "w16", "somebody.else"] {
            let next = Self.take.replacing("abc-_X", with: word).replacing("w1", with: name)
            #expect(known(next, by: pattern) == [name, word])
        }
    }

    @Test(arguments: ["", ".a", "a b", "a%20", "a&done=b", "a+", "ä", "a/b", "a=", "\r\n"])
    func whatIsNoWordIsNot(text: String) throws {
        let pattern = try #require(try pattern())
        #expect(known(Self.take.replacing("abc-_X", with: text), by: pattern) == nil)
        #expect(known(Self.take.replacing("w1", with: text), by: pattern) == nil)
    }

    @Test func anyOtherDifferenceOfOneByteIsNotKnown() throws {
        let pattern = try #require(try pattern())
        let bytes = Array(Self.take.utf8)
        let (name, value) = (pattern.places.name, pattern.places.value)
        for index in bytes.indices where !value.contains(index) && !name.contains(index) {
            for change in [1, 0x20, 0x80] as [UInt8] {
                var other = bytes
                other[index] ^= change
                let isKnown = other.withUnsafeBytes { pattern.parts(of: $0) != nil }
                #expect(!isKnown, "byte \(index) by \(change)")
            }
        }
        for count in bytes.indices {
            #expect(known(String(decoding: bytes[..<count], as: UTF8.self), by: pattern) == nil)
        }
        #expect(known(Self.take + "x", by: pattern) == nil)
        #expect(known(Self.take + Self.take, by: pattern) == nil)
    }

    @Test func whatHasNoValueIsKnownByItsBytes() throws {
        let pattern = try #require(try pattern(value: nil))
        #expect(known(Self.take, by: pattern) == ["w1", ""])
        #expect(known(Self.take.replacing("w1", with: "w2"), by: pattern) == ["w2", ""])
        #expect(known(Self.take.replacing("abc", with: "abd"), by: pattern) == nil)
        let plain = try #require(try self.pattern(value: nil, name: nil))
        #expect(known(Self.take, by: plain) == ["", ""])
        #expect(known(Self.take.replacing("w1", with: "w2"), by: plain) == nil)
    }

    @Test func aNameBehindTheValueMayNotDiffer() throws {
        let text = Self.take.replacing("worker=w1&done=abc-_X", with: "done=abc-_X&worker=w1")
        let pattern = try #require(try pattern(text))
        #expect(known(text.replacing("abc", with: "d"), by: pattern) == ["", "d-_X"])
        #expect(known(text.replacing("w1", with: "w2"), by: pattern) == nil)
    }

    @Test func onlyAPOSTWithoutABodyMakesAPattern() throws {
        #expect(try pattern(length: .none) != nil)
        let bare = Self.take.replacing("Content-Length: 0\r\n", with: "")
        #expect(try pattern(bare, length: .none, headers: ["Host"]) != nil)
        #expect(try pattern(length: .counted(1)) == nil)
        #expect(try pattern(length: .chunked) == nil)
        #expect(try pattern(method: "PUT") == nil)
        #expect(try pattern(Self.take.replacing("POST", with: "GET"), method: "GET") == nil)
        for name in ["Content-Length", "Expect", "Upgrade", "Transfer-Encoding", "Connection"] {
            #expect(try pattern(headers: ["Host", "Content-Length", name]) == nil)
        }
    }

    @Test func twoFormsOfOneHeadAreNotTheSame() throws {
        let (word, none) = (try #require(try pattern()), try #require(try pattern(value: nil)))
        #expect(!word.isSame(as: none))
        #expect(word.isSame(as: try #require(try pattern(Self.take.replacing("abc", with: "d")))))
    }
}
