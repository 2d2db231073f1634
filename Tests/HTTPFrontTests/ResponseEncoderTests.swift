import Testing

@testable import HTTPFront

@Suite struct ResponseEncoderTests {
    private func encode(
        _ response: Response, version: HTTPVersion = .http11, keepsAlive: Bool = true,
        isHead: Bool = false, crossOrigin: CrossOrigin? = nil
    ) -> String {
        var encoder = ResponseEncoder { 784_111_777 }
        var output: [UInt8] = []
        let context = ResponseContext(
            version: version, keepsAlive: keepsAlive, isHead: isHead, crossOrigin: crossOrigin)
        encoder.encode(
            response, for: context, closes: !ResponseEncoder.keepsAlive(response, for: context),
            into: &output)
        return String(decoding: output, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    private let common = """
        Date: Sun, 06 Nov 1994 08:49:37 GMT
        X-Own: 1
        Cache-Control: no-store
        Vary: Accept, Prefer, Last-Event-ID, Origin

        """
    private let response = Response(
        status: 200, headers: [("X-Own", "1")], body: .bytes(Array("hello".utf8)))

    @Test func aKeptAnswerOfHTTP11SaysItsLengthOnly() {
        #expect(encode(response) == "HTTP/1.1 200 OK\n\(common)Content-Length: 5\n\nhello")
    }

    @Test func aClosingAnswerSaysSo() {
        let closing = "HTTP/1.1 200 OK\n\(common)Content-Length: 5\nConnection: close\n\nhello"
        #expect(encode(response, keepsAlive: false) == closing)
        var own = response
        own.closesConnection = true
        #expect(encode(own) == closing)
    }

    @Test func anAnswerToHTTP10IsOfOurVersionAndSaysWhatItDoes() {
        let head = "HTTP/1.1 200 OK\n\(common)Content-Length: 5\nConnection: "
        #expect(encode(response, version: .http10) == head + "Keep-Alive\n\nhello")
        #expect(encode(response, version: .http10, keepsAlive: false) == head + "close\n\nhello")
    }

    @Test func headGetsTheLengthWithoutTheBody() {
        #expect(
            encode(response, isHead: true) == "HTTP/1.1 200 OK\n\(common)Content-Length: 5\n\n")
    }

    @Test(arguments: [(204, "No Content"), (304, "Not Modified"), (101, "Switching Protocols")])
    func statusesWithoutBodySendNeitherBodyNorLength(status: Int, reason: String) {
        var bodiless = response
        bodiless.status = status
        #expect(encode(bodiless) == "HTTP/1.1 \(status) \(reason)\n\(common)\n")
    }

    @Test func anEmptyBodyHasLengthZero() {
        let empty = Response(status: 201, headers: [("X-Own", "1")])
        #expect(encode(empty) == "HTTP/1.1 201 Created\n\(common)Content-Length: 0\n\n")
    }

    @Test func sharedBytesAreSentFromTheirOwner() {
        final class Owner: Sendable {
            let text: StaticString = "shared"
        }
        let owner = Owner()
        let bytes = UnsafeRawBufferPointer(start: owner.text.utf8Start, count: 6)
        let shared = Response(
            status: 200, headers: [("X-Own", "1")], body: .shared(owner: owner, bytes))
        #expect(encode(shared) == "HTTP/1.1 200 OK\n\(common)Content-Length: 6\n\nshared")
    }

    @Test func aConfiguredOriginMayRead() {
        let encoded = encode(
            Response(status: 204),
            crossOrigin: CrossOrigin(
                origin: "https://dash.example", exposed: ExposedHeaders(names: "Link")))
        #expect(
            encoded.hasSuffix(
                "Access-Control-Allow-Origin: https://dash.example\n"
                    + "Access-Control-Expose-Headers: Link\n\n"))
    }

    @Test func aConfiguredOriginMayReadHeadersThatBeginAsIsSaid() {
        var headers: HeaderLines = [("X-Own-a", "X-Own-b"), ("X-Ownb", "1")]
        headers.add("X-Own-", "c", "2")
        let encoded = encode(
            Response(status: 204, headers: headers),
            crossOrigin: CrossOrigin(
                origin: "https://dash.example",
                exposed: ExposedHeaders(names: "Link", prefix: "X-Own-")))
        #expect(
            encoded.hasSuffix(
                "Access-Control-Expose-Headers: Link\n"
                    + "Access-Control-Expose-Headers: X-Own-a, X-Own-c\n\n"))
        #expect(encoded.contains("\nX-Own-c: 2\n"))
    }

    @Test func aValueCannotEndTheHeader() {
        let hostile = Response(status: 204, headers: [("X", "a\r\nSet-Cookie: b\0\u{7F}")])
        #expect(encode(hostile).contains("X: a  Set-Cookie: b  \n"))
        #expect(!encode(hostile).contains("\nSet-Cookie"))
    }

    @Test func anUnknownStatusHasThePhraseOfItsClass() {
        #expect(encode(Response(status: 499)).hasPrefix("HTTP/1.1 499 Bad Request\n"))
        #expect(encode(Response(status: 599)).hasPrefix("HTTP/1.1 599 Internal Server Error\n"))
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func datesAreThoseOfTheCalendar(second: Int64, text: String) {
        var date: [UInt8] = []
        HTTPDate.append(second, to: &date)
        #expect(String(decoding: date, as: UTF8.self) == text)
    }
}
