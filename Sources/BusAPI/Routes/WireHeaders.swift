/// The header names of the bus, where lists of them are needed.
public enum WireHeaders {
    /// What a page of a configured Origin may read of an answer.
    public static let exposed =
        "Event-ID, Event-Topic, Event-Time, Event-Type, Event-Key, Event-Cursor, Event-Gap, "
        + "Event-Oldest, Event-Count, Link, Location, Retry-After"

    /// What such a page may send.
    static let accepted =
        "Accept, Authorization, Content-Type, Event-Key, Event-Type, Last-Event-ID, Prefer"
}
