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
        guard let position, let written = written(position) else { return }
        try agree(Since.position(written), position, "since, and written as '\(written)'")
    }

    /// One writing of a position; nil for the times that RFC 3339 has no year for.
    private static func written(_ position: StartPosition) -> String? {
        switch position {
        case .after(let id): "\(id)"
        case .now: "now"
        case .earliest: "earliest"
        case .latest: "latest"
        case .last(let count): "-\(count)"
        case .ago(let microseconds): Quantity.text(microseconds: microseconds)
        case .time(let time):
            (-62_167_219_200_000_000...253_402_300_799_999_999).contains(time.microseconds)
                ? time.rfc3339 : nil
        }
    }
}
