internal import Topics
internal import Wire

/// The header names of the bus, where lists of them are needed.
public enum WireHeaders {
    /// The headers of an answer that a page of a configured Origin may read.
    public static let exposed = list(
        ["Event-ID", "Event-Topic", "Event-Time"] + WireField.ownHeaders + [
            "Event-Expires", "Event-Cursor", "Event-Gap", "Event-Oldest", "Event-Count", "Link",
            "Location", "Retry-After", "Work-Attempt", "Work-Dead", "Work-Deadline", "Work-Lease",
            "Work-Reply",
        ])

    /// The headers that such a page may send: those that the bus reads, and those that libraries
    /// add to each request.
    static let accepted = list(
        ([
            "Accept", "Authorization", "Baggage", "Cache-Control", "Content-Type",
            "Idempotency-Key",
            "Last-Event-ID", "Pragma", "Prefer", "Traceparent", "Tracestate", "X-Correlation-ID",
            "X-Request-ID", "X-Requested-With",
        ] + WireField.ownHeaders).sorted())

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
