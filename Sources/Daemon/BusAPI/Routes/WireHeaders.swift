public import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The header names of the bus, where lists of them are needed.
public enum WireHeaders {
    /// The headers of an answer that a page of a configured Origin may read.
    public static let exposed = ExposedHeaders(
        names: list(exposedNames), prefix: "\(WireAttribute.header)")

    /// The names of headers of answers, those of attributes aside.
    static let exposedNames =
        ["Event-ID", "Event-Topic", "Event-Time"] + WireField.ownHeaders + [
            "Event-Expires", "Idempotency-Replayed", "Event-Cursor", "Event-Gap", "Event-Oldest",
            "Event-Count", "ETag", "Link",
            "Location", "Retry-After", "Work-Attempt", "Work-Dead", "Work-Deadline", "Work-Lease",
            "Work-Reply", "\(WireAttribute.omitted)",
        ]

    /// The headers that such a page may send: those that the bus reads, and those that libraries
    /// add to each request.
    ///
    /// - Parameter asked: The list of headers that it asks for. Those of attributes are allowed as they
    ///   come.
    static func accepted(for asked: String?) -> String {
        let attributes = (asked ?? "").split(separator: ",").map(\.trimmingBlanks).filter {
            $0.utf8.count <= Limits.shownNameCharacters
                && $0.lowercased().hasPrefix("\(WireAttribute.lowercaseHeader)")
                && $0.utf8.allSatisfy {
                    (0x61...0x7A).contains($0 | 0x20) || ASCII.isDigit($0) || $0 == 0x2D
                }
        }
        return list([accepted] + attributes.map(String.init))
    }

    private static let acceptedNames =
        ([
            "Accept", "Authorization", "Baggage", "Cache-Control", "Content-Type",
            "Idempotency-Key", "If-Match", "If-None-Match",
            "Last-Event-ID", "Pragma", "Prefer", "Traceparent", "Tracestate", "X-Correlation-ID",
            "X-Request-ID", "X-Requested-With",
        ] + WireField.ownHeaders).sorted()
    private static let accepted = list(acceptedNames)

    /// The header that a name was probably meant for: it has the same letters.
    static func accepted(like name: String) -> String? {
        func letters(_ text: String) -> String { text.lowercased().filter(\.isLetter) }
        let asked = letters(name)
        return acceptedNames.first { letters($0) == asked }
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
