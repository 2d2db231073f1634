import Testing

@testable import HTTPFront

@Suite struct RequestTargetTests {
    @Test(
        arguments: [
            ("/", []),
            ("/topics", ["topics"]),
            ("/topics/deploys", ["topics", "deploys"]),
            ("/topics/", ["topics", ""]),
            ("//", ["", ""]),
            ("/a%20b/%c3%A9", ["a b", "é"]),
            ("/a+b", ["a+b"]),
            ("/é", ["é"]),
            ("/a/../b", ["a", "..", "b"]),
            ("/%252F", ["%2F"]),
            ("/topics/*,a.%3E", ["topics", "*,a.>"]),
            ("http://localhost:7464", []),
            ("HTTP://localhost:7464/topics/x", ["topics", "x"]),
            ("http://[::1]/x", ["x"]),
            ("*", []),
        ] as [(String, [String])])
    func pathsAreSplitThenDecodedOnce(target: String, path: [String]) throws {
        #expect(try RequestTarget(target).path == path)
    }

    @Test(
        arguments: [
            ("/?", []),
            ("/?a=1", [["a", "1"]]),
            ("/?a=1&a=2&&b", [["a", "1"], ["a", "2"], ["b", ""]]),
            ("/?a=b=c", [["a", "b=c"]]),
            ("/?a=1+2%2B3", [["a", "1 2+3"]]),
            ("/?x+y=%26%3D%3F", [["x y", "&=?"]]),
            ("/?=v", [["", "v"]]),
            ("/?a=?/&b=%2F", [["a", "?/"], ["b", "/"]]),
            ("http://h?a=1", [["a", "1"]]),
            ("/?k=%C3%BC", [["k", "ü"]]),
        ] as [(String, [[String]])])
    func queriesAreSplitThenDecodedOnce(target: String, items: [[String]]) throws {
        #expect(try RequestTarget(target).query.map { [$0.name, $0.value] } == items)
    }

    @Test(
        arguments: [
            ("/bus/topics/a?x=1", ["topics", "a"], "/topics/a"), ("/bus/", [], "/"),
            ("http://h/bus/topics/a", ["topics", "a"], "/topics/a"),
            ("/bus/bus/", ["bus", ""], "/bus/"),
        ] as [(String, [String], String)])
    func aPrefixIsNoPartOfThePath(target: String, path: [String], raw: String) throws {
        let read = try RequestTarget(target, below: PathPrefix("/bus"))
        #expect(read.path == path && read.rawPath == raw && !read.isOutsidePrefix)
        #expect(read.raw == target)
        #expect(read.query.count == (target.contains("?") ? 1 : 0))
    }

    @Test(arguments: [
        "/", "/bus", "/bus?x", "/busy/topics", "/b%75s/topics", "/Bus/topics", "/a/bus/",
    ])
    func aTargetThatIsNotBelowThePrefixSaysSo(target: String) throws {
        let read = try RequestTarget(target, below: PathPrefix("/bus"))
        #expect(try read.isOutsidePrefix && read.path == RequestTarget(target).path)
        #expect(try !RequestTarget("*", below: PathPrefix("/bus")).isOutsidePrefix)
    }

    @Test(arguments: [
        "", "/", "bus", "/bus/", "//bus", "/a//b", "/a b", "/%41", "/ü", "/..", "/.a", "/a?b",
        "/a\"b",
        "/" + String(repeating: "a", count: 128),
    ])
    func whatIsNoPrefixIsRefused(text: String) {
        #expect(throws: ConfigurationError.self) { try PathPrefix(text) }
    }

    @Test(arguments: ["/bus", "/a/b-c_d.e", "/" + String(repeating: "a", count: 127)])
    func aPrefixIsWhatWasWritten(text: String) throws {
        #expect(try PathPrefix(text).text == text)
    }

    @Test(arguments: [
        "", "topics", "https://localhost/", "ftp://h/", "http://", "http:///x", "http://u@h/",
        "http://h:70000/", "http://h:x/", "localhost:7464", "**",
        "/a b", "/a\tb", "/a\u{0}b", "/a\u{7F}", "/a#b", "/?a#b", "/%00", "/?a=%00", "/a%2Fb",
        "/a%2fb", "/%", "/%4", "/%4/", "/%zz", "/?a=%", "/?a=%f", "/?a=%1&b=2", "/?%=1", "/%ff",
        "/?a=%c3", "/%c3/%a9", "/%ed%a0%80", "/%c0%af", "/\r\n",
    ])
    func whatIsAmbiguousOrHostileIsRefused(target: String) {
        #expect(throws: TargetError.self) { try RequestTarget(target) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes in [[0x2F, 0xFF], [0x2F, 0xC3] + Array("%A9".utf8)] as [[UInt8]] {
            bytes.withUnsafeBytes { raw in
                _ = #expect(throws: TargetError.self) { try RequestTarget(raw) }
            }
        }
    }

    @Test func refusalsSayWhere() {
        #expect(throws: TargetError(detail: "The target holds an encoded NUL at byte 3.")) {
            try RequestTarget("/ab%00")
        }
        #expect(throws: TargetError(forbidden: 0x20, at: 2)) { try RequestTarget("/a b") }
    }

    @Test func anEscapeDoesNotReachPastItsPart() {
        #expect(throws: TargetError.self) { try RequestTarget("/a%4/1") }
        #expect(throws: TargetError.self) { try RequestTarget("/?a=%4&1=2") }
    }

    @Test func theAuthorityOfAnAbsoluteTargetIsKept() throws {
        let target = try RequestTarget("http://LocalHost.:80/x?y=1")
        #expect(target.form == .absolute(Authority(host: "localhost", port: 80)))
        #expect(target.rawPath == "/x")
        #expect(target.query.first("y") == "1")
    }

    @Test func parametersAreCountedBeforeTheyAreKept() throws {
        let most = String(repeating: "a&", count: HTTPFrontLimits.queryItemsMax)
        #expect(try RequestTarget("/?" + most).query.count == HTTPFrontLimits.queryItemsMax)
        #expect(throws: TargetError.self) { try RequestTarget("/?" + most + "a") }
    }
}
