import Testing

@testable import HTTPFront

/// By which bytes a request is known to be one that was parsed before.
@Suite struct HeadPatternTests {
    private static let before = "GET /topics/a?wait=5&since="
    private static let after = "&as=json HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n\r\n"
    private static let byParameter = before + "123" + after
    private static let byHeader =
        "GET /topics/a HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 77 \r\nAccept: */*\r\n\r\n"

    /// The pattern of a request as the front makes it, by rules and a parser's word on its length.
    private func pattern(
        _ text: String, headers: [(String, String)] = [], method: String = "GET",
        version: HTTPVersion = .http11, headBytes: Int? = nil, at place: ValuePlace? = nil,
        body: String = "", length: RequestHead.BodyLength = .none, name: Range<Int>? = nil
    ) throws -> HeadPattern? {
        var fields = HeaderFields()
        for (name, value) in headers { fields.append(name, value) }
        let target = try RequestTarget(String(text.split(separator: " ")[1]))
        let head = RequestHead(
            method: method, target: target, version: version, headers: fields,
            peer: Peer(transport: .unix), bodyLength: length)
        let since = target.query.first { $0.name == "since" }.map {
            ValuePlace.target($0.valueRange)
        }
        return HeadPattern(
            Self.seen(text + body), headBytes: headBytes ?? text.utf8.count, head: head,
            valueAt: try #require(place ?? since), name: name)
    }

    private static func seen(_ text: String) -> SeenInput {
        Array(text.utf8).withUnsafeBytes { SeenInput($0) }
    }

    private func value(_ pattern: HeadPattern, in input: [UInt8]) -> String? {
        input.withUnsafeBytes { bytes in
            pattern.parts(of: bytes).map { String(decoding: bytes[$0.value], as: UTF8.self) }
        }
    }

    @Test(arguments: ["0", "9", "122", "0000", "9007199254740991", "9999999999999999"])
    func anotherNumberIsKnown(number: String) throws {
        let pattern = try #require(try pattern(Self.byParameter))
        #expect(value(pattern, in: Array((Self.before + number + Self.after).utf8)) == number)
    }

    @Test(arguments: [
        "", "12345678901234567", "+1", "-1", "1 ", " 1", "1x", "x", "%31", "1&since=2", "now",
        "1.5", "１",
    ])
    func whatIsNoNumberIsNot(text: String) throws {
        let pattern = try #require(try pattern(Self.byParameter))
        #expect(value(pattern, in: Array((Self.before + text + Self.after).utf8)) == nil)
    }

    @Test func anyOtherDifferenceOfOneByteIsNotKnown() throws {
        let pattern = try #require(try pattern(Self.byParameter))
        let bytes = Array(Self.byParameter.utf8)
        for index in bytes.indices where !pattern.places.value.contains(index) {
            for change in [1, 0x20, 0x80] as [UInt8] {
                var other = bytes
                other[index] ^= change
                #expect(value(pattern, in: other) == nil, "byte \(index) by \(change)")
            }
            var shorter = bytes
            shorter.remove(at: index)
            #expect(value(pattern, in: shorter) == nil, "without byte \(index)")
        }
        for index in 0...bytes.count {
            #expect(value(pattern, in: Array(bytes[..<index])) == nil || index == bytes.count)
            var longer = bytes
            longer.insert(UInt8(ascii: "!"), at: index)
            #expect(value(pattern, in: longer) == nil, "with a byte more at \(index)")
        }
        #expect(value(pattern, in: bytes + bytes) == nil)
        #expect(value(pattern, in: bytes) == "123")
    }

    @Test func aHeadersValueIsFoundWithoutItsBlanks() throws {
        for name in ["Last-Event-ID", "last-event-id", "LAST-EVENT-ID"] {
            let text = Self.byHeader.replacing("Last-Event-ID", with: name)
            let pattern = try #require(
                try pattern(
                    text, headers: [("Host", "localhost"), (name, "77")],
                    at: .header("last-event-id")))
            #expect(value(pattern, in: Array(text.utf8)) == "77")
            let next = text.replacing("77", with: "1234")
            #expect(value(pattern, in: Array(next.utf8)) == "1234")
            #expect(value(pattern, in: Array(text.replacing("77 ", with: "77").utf8)) == nil)
        }
    }

    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test(arguments: ["", "Host: a\r\n"], ["traceparent: ", "Traceparent:", "TRACEPARENT: "])
    func anotherTraceparentIsKnown(before: String, name: String) throws {
        func text(_ number: String, _ trace: String) -> String {
            Self.before + number + "&as=json HTTP/1.1\r\n\(before)\(name)\(trace)\r\nX-A: b\r\n\r\n"
        }
        let kept = try #require(
            try pattern(text("123", Self.trace), headers: [("traceparent", Self.trace)]))
        let other = "00-00000000000000000000000000abcdef-ABCDEF0000000001-00"
        for trace in [Self.trace, other] {
            for number in ["1", "123", "123456"] {
                let input = Array(text(number, trace).utf8)
                #expect(value(kept, in: input) == number)
                #expect(input.withUnsafeBytes { HeadHash(of: $0)?.value } == kept.hash)
            }
        }
        let ofOther = try #require(
            try pattern(text("7", other), headers: [("traceparent", other)]))
        #expect(ofOther.isSame(as: kept))
        for trace in [
            Self.trace + "-00", String(Self.trace.dropLast()), Self.trace.replacing("f", with: "g"),
            Self.trace.replacing("-01", with: "\r\n1"), Self.trace.replacing("-01", with: " 01"),
        ] {
            #expect(value(kept, in: Array(text("123", trace).utf8)) == nil, "\(trace)")
        }
        #expect(
            value(kept, in: Array(text("123", Self.trace).replacing("X-A: b", with: "X-A: c").utf8))
                == nil)
    }

    @Test func aTraceparentThatIsNoOneLineOfItsFormIsComparedLikeEverythingElse() throws {
        let other = Self.trace.replacing("4bf9", with: "4bf8")
        let forms = [
            ("X-Traceparent: \(Self.trace)", [("X-Traceparent", Self.trace)]),
            ("X: traceparent: \(Self.trace)", [("X", "traceparent: \(Self.trace)")]),
            ("traceparent:  \(Self.trace)", [("traceparent", Self.trace)]),
            ("traceparent: \(Self.trace) ", [("traceparent", Self.trace)]),
            (
                "traceparent: \(Self.trace)\r\ntraceparent: \(Self.trace)",
                [("traceparent", Self.trace), ("traceparent", Self.trace)]
            ),
        ]
        for (lines, headers) in forms {
            let text = Self.byParameter.replacing("X-A: b", with: lines)
            let kept = try #require(try pattern(text, headers: headers))
            #expect(value(kept, in: Array(text.utf8)) == "123", "\(lines)")
            let changed = text.replacing(Self.trace, with: other)
            #expect(value(kept, in: Array(changed.utf8)) == nil, "\(lines)")
        }
    }

    @Test func aHeaderThatTheParserSawOtherwiseMakesNoPattern() throws {
        let place = ValuePlace.header("last-event-id")
        for headers in [
            [], [("Last-Event-ID", "78")], [("Last-Event-ID", "77"), ("Last-Event-ID", "77")],
        ] {
            #expect(try pattern(Self.byHeader, headers: headers, at: place) == nil)
        }
        let field = [("Last-Event-ID", "77")]
        for name in ["X-Last-Event-ID", "Last-Event-IDs", "Last-Event-ID "] {
            let text = Self.byHeader.replacing("Last-Event-ID", with: name)
            #expect(try pattern(text, headers: field, at: place) == nil, "\(name)")
        }
    }

    @Test(arguments: ["Connection", "Expect", "Upgrade", "Content-Length", "Transfer-Encoding"])
    func whatAsksForMoreThanItsLineMakesNoPattern(name: String) throws {
        #expect(try pattern(Self.byParameter, headers: [(name.lowercased(), "0")]) == nil)
        #expect(try pattern(Self.byParameter, headers: [(name, "x")]) == nil)
    }

    @Test func whoAsksForTheConnectionToBeKeptOrClosedAsksForNothingMore() throws {
        for value in ["keep-alive", "Keep-Alive", "close", "Close"] {
            #expect(try pattern(Self.byParameter, headers: [("Connection", value)]) != nil)
        }
        for value in ["keep-alive, close", "keep-alive,upgrade", "", "closed", "close,"] {
            #expect(try pattern(Self.byParameter, headers: [("Connection", value)]) == nil)
        }
        let twice = [("Connection", "keep-alive"), ("Connection", "keep-alive")]
        #expect(try pattern(Self.byParameter, headers: twice) == nil)
    }

    @Test func whatIsNotWholeOrNotAloneMakesNoPattern() throws {
        let count = Self.byParameter.utf8.count
        for headBytes in [0, count - 1, count + 1] {
            #expect(try pattern(Self.byParameter, headBytes: headBytes) == nil)
        }
    }

    @Test func aParameterWithoutAnEqualsSignMakesNoPattern() throws {
        #expect(try pattern("GET /a?since HTTP/1.1\r\nHost: x\r\n\r\n") == nil)
        #expect(try pattern("GET /a?since= HTTP/1.1\r\nHost: x\r\n\r\n") != nil)
    }

    @Test func onlyGETsOfTheirVersionMakeAPattern() throws {
        #expect(try pattern(Self.byParameter, method: "HEAD") == nil)
        let old = Self.byParameter.replacing("1.1", with: "1.0")
        #expect(try pattern(old, version: .http10) != nil)
        #expect(try pattern(Self.byParameter, version: .http10) == nil)
        #expect(try pattern(Self.byParameter.replacing("1.1", with: "1.2")) == nil)
        for change in [("GET", "HEAD"), ("GET", "get"), ("1.1", "1.0"), ("GET ", "GET  ")] {
            let text = Self.byParameter.replacing(change.0, with: change.1)
            #expect(try pattern(text) == nil, "\(change)")
        }
        #expect(try pattern("\r\n" + Self.byParameter) == nil)
    }

    private static let publish =
        "POST /topics/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nX-A: b\r\n\r\n"
    private static let publishHeaders = [
        ("Host", "localhost"), ("Content-Length", "5"), ("X-A", "b"),
    ]

    private func publish(
        _ text: String = Self.publish, body: String = "abcde",
        headers: [(String, String)] = Self.publishHeaders,
        length: RequestHead.BodyLength = .counted(5), headBytes: Int? = nil,
        method: String = "POST", name: Range<Int>? = nil
    ) throws -> HeadPattern? {
        try pattern(
            text, headers: headers, method: method, headBytes: headBytes, at: .length, body: body,
            length: length, name: name)
    }

    /// Where the topic stands in the target of ``publish``.
    private static let nameRange = 8..<9

    private func name(_ pattern: HeadPattern, in input: String) -> String? {
        Array(input.utf8).withUnsafeBytes { bytes in
            pattern.parts(of: bytes).map { parts in
                #expect(
                    bytes[parts.target].elementsEqual(
                        input.split(separator: " ")[1].utf8))
                return String(decoding: bytes[parts.name], as: UTF8.self)
            }
        }
    }

    @Test(arguments: ["a", "b", "Z", "0", "-", "_", "a.b", "a.", "a..b", "0123456789.A-Z_a-z"])
    func anotherPlainNameIsKnownWhereOneMayDiffer(text: String) throws {
        let pattern = try #require(try publish(name: Self.nameRange))
        for body in ["abcde", "", "0123456789"] {
            let head = Self.publish.replacing("/topics/a ", with: "/topics/\(text) ")
                .replacing(": 5", with: ": \(body.utf8.count)")
            #expect(name(pattern, in: head + body) == text)
            #expect(self.body(pattern, in: head + body) == body)
            #expect(name(pattern, in: head + body + "!") == nil)
        }
        #expect(name(try #require(try publish()), in: Self.publish + "abcde") == "")
        let other = Self.publish.replacing("/topics/a ", with: "/topics/\(text) ") + "abcde"
        #expect((name(try #require(try publish()), in: other) == nil) == (text != "a"))
    }

    @Test(arguments: [
        "", ".", "..", ".a", "a/", "/a", "a/b", "a?", "a?b=c", "%61", "a,b", "*", "a.>", "$a",
        "a~", "a b", "a\u{0}", "a\t", "ä", "a\r\n",
        String(repeating: "n", count: HTTPFrontLimits.keptHeadBytesMax + 1),
    ])
    func aNameThatIsNotPlainIsNot(text: String) throws {
        let pattern = try #require(try publish(name: Self.nameRange))
        let request = Self.publish.replacing("/topics/a ", with: "/topics/\(text) ") + "abcde"
        #expect(name(pattern, in: request) == nil)
    }

    @Test func besideTheNameAnyOtherDifferenceOfOneByteIsNotKnown() throws {
        let pattern = try #require(try publish(name: Self.nameRange))
        let bytes = Array((Self.publish + "abcde").utf8)
        #expect(Array("a".utf8) == Array(bytes[pattern.places.name]))
        for index in 0..<bytes.count - 5
        where !pattern.places.value.contains(index) && !pattern.places.name.contains(index) {
            for change in [1, 0x20, 0x80] as [UInt8] {
                var other = bytes
                other[index] ^= change
                let text = String(decoding: other, as: UTF8.self)
                #expect(body(pattern, in: text) == nil, "byte \(index) by \(change)")
            }
        }
        for count in bytes.indices {
            #expect(body(pattern, in: String(decoding: bytes[..<count], as: UTF8.self)) == nil)
        }
    }

    @Test(arguments: ["%61", ".a", "a/b", "a,b"])
    func aRequestWhoseNameIsNotPlainIsKnownByItsBytes(text: String) throws {
        let request = Self.publish.replacing("/topics/a ", with: "/topics/\(text) ")
        let pattern = try #require(try publish(request, name: 8..<8 + text.utf8.count))
        #expect(name(pattern, in: request + "abcde") == "")
        #expect(name(pattern, in: Self.publish + "abcde") == nil)
    }

    @Test(arguments: [("/a", "/a?since="), ("/a?b=c", "/a?b=c&since="), ("/a?", "/a?&since=")])
    func aParameterMayBeAddedBehindTheTarget(target: String, longer: String) throws {
        let request = "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n"
        let pattern = try #require(try pattern(request, at: .parameter("since")))
        #expect(value(pattern, in: Array(request.utf8)) == nil)
        for number in ["0", "77", "9999999999999999"] {
            let next = request.replacing(target, with: longer + number)
            #expect(value(pattern, in: Array(next.utf8)) == number)
            #expect(value(pattern, in: Array(next.replacing("since", with: "Since").utf8)) == nil)
            #expect(value(pattern, in: Array(next.replacing("=\(number)", with: "=").utf8)) == nil)
        }
    }

    @Test func aParameterTooManyIsNotAdded() throws {
        func request(_ count: Int) -> String {
            "GET /a?\((0..<count).map { "p\($0)" }.joined(separator: "&")) HTTP/1.1\r\nHost: x\r\n\r\n"
        }
        let most = HTTPFrontLimits.queryItemsMax
        #expect(try pattern(request(most - 1), at: .parameter("since")) != nil)
        #expect(try pattern(request(most), at: .parameter("since")) == nil)
    }

    private func body(_ pattern: HeadPattern, in input: String) -> String? {
        Array(input.utf8).withUnsafeBytes { bytes in
            guard let parts = pattern.parts(of: bytes), parts.missingBytes == 0 else { return nil }
            return String(decoding: bytes[parts.body], as: UTF8.self)
        }
    }

    /// How much is missing of a body whose head is known.
    private func missing(_ pattern: HeadPattern, in input: String) -> Int? {
        Array(input.utf8).withUnsafeBytes { pattern.parts(of: $0)?.missingBytes }
    }

    @Test func aKnownHeadSaysHowMuchOfItsBodyIsMissing() throws {
        let pattern = try #require(try publish())
        for count in 0...5 {
            #expect(missing(pattern, in: Self.publish + "abcde".prefix(count)) == 5 - count)
        }
        let long = Self.publish.replacing(": 5", with: ": 9999999999999999")
        #expect(missing(pattern, in: long) == 9_999_999_999_999_999)
        #expect(missing(pattern, in: String(Self.publish.dropLast())) == nil)
    }

    @Test(arguments: ["", "x", "abcde", "0123456789", "Content-Length: 5\r\n\r\n"])
    func aBodyOfAnyLengthIsKnownByItsLength(text: String) throws {
        let pattern = try #require(try publish())
        let count = text.utf8.count
        for digits in ["\(count)", "0\(count)", "00000000\(count)"] {
            let head = Self.publish.replacing(": 5", with: ": \(digits)")
            #expect(body(pattern, in: head + text) == text)
            #expect(body(pattern, in: head + text + "!") == nil)
            if count > 0 { #expect(body(pattern, in: head + text.dropLast()) == nil) }
        }
    }

    @Test func anotherHeadOrAPieceIsNotKnownWhateverTheBody() throws {
        let pattern = try #require(try publish())
        let request = Self.publish + "abcde"
        let bytes = Array(request.utf8)
        for index in 0..<bytes.count - 5 where !pattern.places.value.contains(index) {
            var other = bytes
            other[index] ^= 0x20
            #expect(body(pattern, in: String(decoding: other, as: UTF8.self)) == nil, "\(index)")
        }
        for count in bytes.indices {
            #expect(body(pattern, in: String(decoding: bytes[..<count], as: UTF8.self)) == nil)
        }
        for length in [
            "", "4", "6", "+5", "-5", "5 ", "0x5", "10000000000000000", "99999999999999999",
        ] {
            let head = Self.publish.replacing(": 5", with: ": \(length)")
            #expect(body(pattern, in: head + "abcde") == nil, "\(length)")
        }
        #expect(body(pattern, in: request + request) == nil)
        #expect(body(pattern, in: request) == "abcde")
    }

    @Test func aBodyThatIsNotAllThereMakesTheSamePattern() throws {
        let whole = try #require(try publish())
        for body in ["", "abcd"] {
            #expect(try #require(try publish(body: body)).isSame(as: whole))
        }
    }

    @Test func aBodyThatHasSomethingBehindItMakesNoPattern() throws {
        #expect(try publish(body: "abcdef") == nil)
        #expect(try publish(length: .none) == nil)
        #expect(try publish(length: .chunked) == nil)
        #expect(try publish(headBytes: Self.publish.utf8.count - 1) == nil)
        #expect(try publish(method: "PUT") == nil)
        #expect(try publish(headers: Self.publishHeaders + [("Content-Length", "5")]) == nil)
        #expect(try publish(headers: [("Content-Length", "6")]) == nil)
        for name in ["Expect", "Upgrade", "Transfer-Encoding"] {
            #expect(try publish(headers: Self.publishHeaders + [(name, "x")]) == nil)
        }
        for value in ["close, x", "keep-alive, x"] {
            #expect(try publish(headers: Self.publishHeaders + [("Connection", value)]) == nil)
        }
    }

    @Test func aBodyBeyondWhatIsLookedAtMakesNoPattern() throws {
        func pattern(of bytes: Int) throws -> HeadPattern? {
            let head = Self.publish.replacing(": 5", with: ": \(bytes)")
            return try publish(
                head, body: String(repeating: "x", count: bytes),
                headers: [("Content-Length", "\(bytes)")], length: .counted(UInt64(bytes)))
        }
        #expect(try pattern(of: 15_000) != nil)
        #expect(try pattern(of: HTTPFrontLimits.receiveBufferBytes) == nil)
    }

    @Test func anAddressInTheTargetMovesTheValue() throws {
        let text = "GET http://localhost/a?%73ince=5 HTTP/1.1\r\nHost: x\r\n\r\n"
        let head = try RequestTarget("http://localhost/a?%73ince=5")
        let pattern = try #require(try pattern(text, at: .target(head.query[0].valueRange)))
        let next = text.replacing("=5", with: "=678")
        #expect(value(pattern, in: Array(next.utf8)) == "678")
    }
}
