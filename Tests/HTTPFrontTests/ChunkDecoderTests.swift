import TestSupport
import Testing

@testable import HTTPFront

/// Chunked bodies, without a socket.
@Suite struct ChunkDecoderTests {
    /// What a body is taken for that comes in these pieces, and how far it has come.
    private func decode(_ pieces: [String]) -> (body: String, rest: Int, ChunkDecoder.Progress) {
        var decoder = ChunkDecoder()
        var body: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            let bytes = Array(piece.utf8)
            let (count, progress) = bytes.withUnsafeBytes { input in
                decoder.decode(input) { body += $0 }
            }
            guard progress == .open else {
                let rest = bytes.count - count + pieces[(index + 1)...].joined().utf8.count
                return (String(decoding: body, as: UTF8.self), rest, progress)
            }
            #expect(count == bytes.count)
        }
        return (String(decoding: body, as: UTF8.self), 0, .open)
    }

    static let whole: [(String, String)] = [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("1\r\na\r\n2\r\nbc\r\n000\r\n\r\n", "abc"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("2;x=y\r\nab\r\n0;z\r\nX: y\r\n\r\n", "ab"), ("2 \r\nab\r\n0\r\n\r\n", "ab"),
        ("3\r\n\r\n\r\r\n0\r\nA: b\r\nC: d\r\n\r\n", "\r\n\r"),
    ]

    @Test(arguments: whole)
    func aBodyIsTheBytesOfItsChunksHoweverItComes(chunks: String, body: String) {
        let behind = "GET / HTTP/1.1\r\n"
        for pieces in [[chunks + behind], [chunks, behind], chunks.map(String.init) + [behind]] {
            let decoded = decode(pieces)
            #expect(decoded.body == body)
            #expect(decoded.2 == .ended)
            #expect(decoded.rest == behind.utf8.count)
        }
    }

    @Test(arguments: whole)
    func aPieceOfABodyIsOpen(chunks: String, body: String) {
        for end in 0..<chunks.utf8.count {
            let piece = String(decoding: Array(chunks.utf8)[..<end], as: UTF8.self)
            #expect(decode([piece]).2 == .open)
        }
    }

    @Test(arguments: [
        "x", "\r\n", ";\r\n", " 5\r\n", "-1\r\n", "0x5\r\n", "+5\r\n", "5x\r\n", "1\r\nab",
        "1\r\na\rb",
        "1\r\na\n\n", "1\na\r\n", "0\n\r\n", "0\r\n\n", "1;\na\r\n", "5\rhello", "1\r\na0\r\n\r\n",
    ])
    func whatIsNoChunkIsRefused(chunks: String) {
        guard case .broken = decode([chunks]).2 else {
            Issue.record("\(chunks.debugDescription) is taken")
            return
        }
    }

    @Test func noChunkIsLongerThanAnyBody() {
        #expect(decode(["fffffffffffffffff\r\n"]).2 == .tooLong)
        #expect(decode(["10000000000000\r\n"]).2 == .open)
    }

    @Test func wordsAroundTheChunksHaveABound() {
        let long = String(repeating: "x", count: HTTPFrontLimits.chunkWordsBytesMax)
        #expect(decode(["1;\(long)\r\na\r\n0\r\n\r\n"]).2 == .ended)
        for chunks in [
            "1;\(long)x\r\n", "1;x\r\na\r\n0\r\n\(long)",
            "0\r\n" + String(repeating: "a: b\n", count: 2_000),
        ] {
            guard case .broken = decode([chunks]).2 else {
                Issue.record("words without end are taken")
                continue
            }
        }
    }
}
