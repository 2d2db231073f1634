/// The bounds of this room, each with the reason for its number.
enum Limits {
    /// Levels of a JSON payload that goes into an envelope as JSON: what common readers accept
    /// without being told (deeper ones go as a string).
    static let jsonDepthMax = 64

    /// The last second of the year 9999, beyond which RFC 3339 has no notation.
    static let unixSecondsMax: Int64 = 253_402_300_799

    /// Events of one JSON answer unless `max` says otherwise: a screenful of work for a script.
    static let pollEventsDefault = 1_000

    /// Events of one JSON answer at the most: bounds the time that one answer holds a loop.
    static let pollEventsMax = 10_000

    /// Payload bytes of one JSON answer, after which it is cut short (always one event).
    static let pollPayloadBytesMax = 1 << 20

    /// Encoded envelopes that one loop keeps for the next reader of the same event.
    static let encodingCacheBytesMax = 4 << 20

    /// The fraction of the memory budget that the encodings of all loops may take together.
    static let encodingsMemoryFraction = 8

    /// The largest retention by bytes that can be asked for: a terabyte, beyond any memory it could
    /// be kept in.
    static let retentionBytesMax: Int64 = 1 << 40

    /// The longest retention by age that can be asked for: ten years, beyond which a clock in
    /// microseconds is no worry yet, but a mistyped unit is.
    static let retentionMicrosecondsMax: Int64 = 3_650 * 86_400_000_000
}
