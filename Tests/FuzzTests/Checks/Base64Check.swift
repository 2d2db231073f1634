import Digests
import Foundation

extension ParserCheck {
    /// Base64 has one writing for all bytes, which is Foundation's.
    static let base64 = ParserCheck("base64", bytesMax: 64) { input in
        var written: [UInt8] = []
        Base64.encode(input, into: &written)
        try agree(written, Array(Data(input).base64EncodedData()), "encoded")
        let decodedAgain = written.withUnsafeBytes { Base64.decode($0) }
        try agree(decodedAgain, Array(input), "decoded again")
        let decoded = Base64.decode(input)
        let expected = Data(base64Encoded: Data(input)).flatMap { data in
            data.base64EncodedData().elementsEqual(input) ? Array(data) : nil
        }
        try agree(decoded, expected, "decoded")
    }
}
