@testable import HTTPFront

extension ParserCheck {
    /// A chunked body is the same whether it comes at once or byte by byte, and what is taken for one is what its
    /// chunks say when it is written again.
    ///
    /// Input: what comes behind a head.
    static let chunks = ParserCheck("chunks", bytesMax: 512) { input in
        let whole = Decoded(input, pieceBytes: max(1, input.count))
        for pieceBytes in [1, 3] {
            try agree(Decoded(input, pieceBytes: pieceBytes), whole, "the body, and in pieces")
        }
        guard whole.progress == .ended else { return }
        let behind = UnsafeRawBufferPointer(rebasing: input[whole.count...])
        var again = Array("\(String(whole.body.count, radix: 16))\r\n".utf8)
        if !whole.body.isEmpty { again += whole.body + Array("\r\n0\r\n".utf8) }
        again += Array("\r\n".utf8)
        let count = again.count
        let written = (again + behind).withUnsafeBytes { Decoded($0, pieceBytes: $0.count) }
        try agree(written.body, whole.body, "the body, and written again")
        try agree(written.count, count, "its bytes when it is written again")
        try agree(written.progress, .ended, "that it ends")
    }
}

/// What comes of bytes that arrive in pieces.
private struct Decoded: Equatable {
    var body: [UInt8] = []
    /// Bytes that belong to it, with what frames them.
    var count = 0
    var progress = ChunkDecoder.Progress.open

    init(_ input: UnsafeRawBufferPointer, pieceBytes: Int) {
        var decoder = ChunkDecoder()
        var body: [UInt8] = []
        while progress == .open, count < input.count {
            let end = min(input.count, count + pieceBytes)
            let piece = UnsafeRawBufferPointer(rebasing: input[count..<end])
            let step = decoder.decode(piece) { body += $0 }
            count += step.count
            progress = step.progress
        }
        self.body = body
    }
}
