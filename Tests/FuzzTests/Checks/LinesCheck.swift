@testable import BusAPI

extension ParserCheck {
    /// The lines of a batch are the pieces between line feeds, less one CR each, that are not
    /// empty; and none is outside of the body.
    static let lines = ParserCheck("lines", bytesMax: 128) { input in
        let pieces = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        let expected = pieces.enumerated().compactMap { place, piece in
            let isEnded = place < pieces.count - 1
            let line = isEnded && piece.last == 0x0D ? piece.dropLast() : piece
            return line.isEmpty ? nil : Array(line)
        }
        let lines = Array(LineSplitter(input))
        try agree(lines.map(Array.init), expected, "lines")
        for line in lines {
            let start = line.baseAddress! - input.baseAddress!
            try hold(start >= 0 && start + line.count <= input.count, "a line outside of the body")
        }
    }
}
