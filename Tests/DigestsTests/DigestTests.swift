import Digests
import Testing

@Suite struct DigestTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func sha256(_ text: String) -> String {
        hexadecimal(Array(text.utf8).withUnsafeBytes { Digest.sha256($0) })
    }

    /// The examples of FIPS 180-4, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256IsThatOfTheStandard(text: String, digest: String) {
        #expect(sha256(text) == digest)
    }

    @Test func sha1OfPiecesIsThatOfTheWhole() {
        let (first, second) = (Array("ab".utf8), Array("c".utf8))
        let digest = first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in Digest.sha1(first, second) }
        }
        #expect(hexadecimal(digest) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    /// Cases 2 and 6 of RFC 4231: a short key, and one longer than a block.
    @Test(arguments: [
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func hmacIsThatOfTheStandard(key: [UInt8], text: String, code: String) {
        let bytes = Array(text.utf8)
        let made = key.withUnsafeBytes { key in
            bytes.withUnsafeBytes { bytes in
                Digest.hmacSHA256(
                    key: key, UnsafeRawBufferPointer(rebasing: bytes[..<7]),
                    UnsafeRawBufferPointer(rebasing: bytes[7...]))
            }
        }
        #expect(hexadecimal(made) == code)
    }

    @Test func digestsAreEqualExactlyIfAllBytesAre() {
        let digest = [UInt8](0..<32)
        #expect(Digest.areEqual(digest, digest))
        for index in digest.indices {
            var other = digest
            other[index] ^= 1
            #expect(!Digest.areEqual(digest, other))
        }
        #expect(!Digest.areEqual(digest, Array(digest.dropLast())))
        #expect(Digest.areEqual([], []))
    }
}
