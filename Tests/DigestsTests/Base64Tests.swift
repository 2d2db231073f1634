import Digests
import Foundation
import Testing

@Suite struct Base64Tests {
    @Test func everyLengthAndEveryByteIsEncodedAsRFC4648SaysAndReadBack() {
        for count in 0...259 {
            let data = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) })
            var encoded: [UInt8] = []
            data.withUnsafeBytes { Base64.encode($0, into: &encoded) }
            #expect(String(decoding: encoded, as: UTF8.self) == Data(data).base64EncodedString())
            #expect(encoded.withUnsafeBytes { Base64.decode($0) } == data)
        }
    }

    /// The examples of RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func base64IsReadAndWrittenAsTheStandardSays(text: String, encoded: String) {
        #expect(Base64.text(Array(text.utf8)) == encoded)
        #expect(Array(encoded.utf8).withUnsafeBytes { Base64.decode($0) } == Array(text.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg==Zg==", "Zm9-", "Zm9\u{0}", "====", "Zh==", "Zm9 v",
        "Zm9v\n", " Zm9v", "Zm9\u{B}v", "A===", "Zm9vA===",
    ])
    func whatIsNoBase64StandsForNothing(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { Base64.decode($0) } == nil)
    }

    @Test(arguments: ["", "Zm9v"]) func everyShortTextStandsForWhatIsWrittenSo(start: String) {
        var texts = [start]
        for _ in 0..<5 {
            texts += texts.flatMap { text in "AQg=+ \n".map { text + String($0) } }
            texts = Array(Set(texts))
        }
        for text in texts {
            let decoded = Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
            let expected = Data(base64Encoded: text).flatMap { data in
                data.base64EncodedString() == text ? Array(data) : nil
            }
            if decoded != expected {
                Issue.record("\(text.debugDescription) is read as \(String(describing: decoded))")
            }
        }
    }
}
