import Testing

@testable import HTTPFront

/// What is found in a head before the parser reads it.
struct RequestHeadReaderTests {
    private func finding(_ text: String) -> RequestHeadReader.Finding {
        Array(text.utf8).withUnsafeBytes { RequestHeadReader($0).finding }
    }

    private func isBroken(_ text: String) -> Bool {
        if case .broken = finding(text) { true } else { false }
    }

    static let host = "Host: localhost\r\n"

    private static func long(_ bytes: Int) -> String { String(repeating: "A", count: bytes) }

    @Test func aMethodThatDoesNotEndIsBroken() {
        #expect(finding("\(Self.long(64)) /a HTTP/1.1\r\n\(Self.host)\r\n") == .nothing)
        for text in [
            Self.long(65), "\r\n" + Self.long(40_000), Self.long(65) + " /a HTTP/1.1\r\n",
        ] {
            #expect(isBroken(text))
        }
    }

    @Test(arguments: [
        "GET /a HTTP/1.1\r\n\(host)\r\n", "GET /a HTTP/1.0\r\n\r\n", "GET /a HTTP/1.1\n\(host)\n",
        "\r\n\r\nGET /a?b=c HTTP/1.1\r\n\(host)\r\n", "\nGET /a HTTP/1.1\r\n\(host)\r\n",
        "POST /a HTTP/1.1\r\n\(host)Content-Length:  2 \r\n\r\n: \0\r",
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: Chunked\r\n\r\n",
        "GET /a HTTP/1.1\r\n\(host)X:\r\nY: a:b\tc  d\r\n\r\n", "GET /a HTTP/1.9\r\n\(host)\r\n",
    ])
    func nothingIsWrongWithWhatClientsSend(text: String) {
        #expect(finding(text) == .nothing)
    }

    @Test(arguments: [
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /a HTTP/2.0\r\nX\r\n\r\n",
        "POST /a HTTP/0.9\r\nContent-Length: x\r\n\r\n", "GET /a HTTP/3.0\r\n",
    ])
    func aRequestOfAnotherVersionIsToldSo(text: String) {
        #expect(finding(text) == .otherVersion)
    }

    @Test(arguments: [
        "", "\r\n", "GET /a HT", "GET /a HTTP/1.1\r\n", "\u{16}\u{3}\u{1}\u{2}", long(64),
    ])
    func aPieceOfAHeadIsNotJudged(text: String) {
        #expect(finding(text) == .nothing)
        #expect(finding("GET /a HTTP/1.1\r\n\(Self.host)X: y") == .nothing)
    }

    @Test(arguments: [
        "\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET /a\r\n\r\n", "GET  /a HTTP/1.1\r\n\(host)\r\n",
        "GET /a b HTTP/1.1\r\n\(host)\r\n", "GET /a FTP/1.1\r\n\(host)\r\n",
        "GET /a HTTP/3\r\n\(host)\r\n", "GET /a HTTP/1.10\r\n\(host)\r\n",
        "GET /a HTTP/x.1\r\n\(host)\r\n",
        "GET /a\0b HTTP/1.1\r\n\(host)\r\n", "GET /a HTTP/1.1\r\n\(host)no colon\r\n\r\n",
        "GET /a HTTP/1.1\r\n\(host): no name\r\n\r\n", "GET /a HTTP/1.1\r\nX\0A: b\r\n\(host)\r\n",
        "GET /a HTTP/1.1\r\n\(host)X-A : b\r\n\r\n", "GET /a HTTP/1.1\r\n\(host)X-A: b\0\r\n\r\n",
        "GET /a HTTP/1.1\r\n\(host)X-A: b\rc\r\n\r\n", "GET /a HTTP/1.1\r\n X: y\r\n\(host)\r\n",
    ])
    func whatIsNoRequestIsBroken(text: String) {
        #expect(isBroken(text))
    }

    @Test func aFoldIsCalledAFoldWhateverItHolds() {
        for fold in [" c", "\tc", " ", " X: y"] {
            let text = "GET /a HTTP/1.1\r\n\(Self.host)X-A: b\r\n\(fold)\r\n\r\n"
            #expect(finding(text) == .broken(RequestHeadReader.folded))
        }
    }

    @Test(arguments: [
        "GET /a HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\r\n\(host)\(host)\r\n",
        "POST /a HTTP/1.1\r\n\(host)Content-Length: +1\r\n\r\n",
        "POST /a HTTP/1.1\r\n\(host)Content-Length: 1, 1\r\n\r\n",
        "POST /a HTTP/1.1\r\n\(host)Content-Length:\r\n\r\n",
        "POST /a HTTP/1.1\r\n\(host)Content-Length: 0x1\r\n\r\n",
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n",
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func anOddHostOrLengthIsDoubtful(text: String) {
        #expect(finding(text) == .doubtful)
    }

    @Test func headersAreGivenAsTheyWereSent() {
        let text = "PUT /a HTTP/1.0\r\nA: 1 \r\nTransfer-Encoding:\tgzip\r\nA:2\r\n\r\nB: 3\r\n"
        Array(text.utf8).withUnsafeBytes { bytes in
            let head = RequestHeadReader(bytes)
            #expect(head.method.elementsEqual("PUT".utf8))
            #expect(head.target.elementsEqual("/a".utf8))
            #expect(head.version == .http10)
            #expect(head.fields.count == 3)
            #expect(head.fields.all("a") == ["1", "2"])
            #expect(head.fields.first("transfer-encoding") == "gzip")
        }
    }
}
