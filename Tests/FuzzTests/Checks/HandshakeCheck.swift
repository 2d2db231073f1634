import Foundation

@testable import HTTPFront
@testable import TestSupport

extension ParserCheck {
    /// A key is answered as the standard says, if it is the one encoding of 16 bytes.
    static let handshake = ParserCheck("handshake", bytesMax: 64) { input in
        let answer = WebSocketHandshake.acceptance(of: input)
        let key = input.utf8.flatMap { Data(base64Encoded: $0) }
        let isOne = key?.count == 16 && key?.base64EncodedString() == input.text
        try agree(answer != nil, isOne, "a key taken, and a key")
        guard let answer else { return }
        let text = input.text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        try agree(answer, Data(SHA1.hash(Array(text.utf8))).base64EncodedString(), "answer")
    }
}
