import Topics
import Wire

@testable import BusAPI

extension ParserCheck {
    /// A place in the order that is written down means the same place.
    static let since = ParserCheck("since", bytesMax: 80) { input in
        let text = input.text
        if let cursor = try? ListCursor(request: text) {
            try agree(try ListCursor(request: cursor.text)?.text, cursor.text, "list, read again")
        }
        let position = Since.position(text)
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        try agree(Since.lastEventID(text), isNumber ? position : nil, "Last-Event-ID")
        guard let position else { return }
        // RFC 3339 has no year for other times.
        if case .time(let time) = position,
            !(-62_167_219_200_000_000...253_402_300_799_999_999).contains(time.microseconds)
        {
            return
        }
        let written = Since.text(position)
        try agree(Since.position(written), position, "since, and written as '\(written)'")
    }
}
