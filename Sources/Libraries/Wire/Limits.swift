/// The bounds of the formats on the wire, each with the reason for its number.
public enum WireLimits {
    /// Room beside its payload that is made for the envelope of an event that is written together with
    /// others; where it needs more, the room grows.
    public static let envelopeBytes = 256

    /// Bytes of a payload up to which the array of its envelope just grows by doubling: beyond it,
    /// that would take more than is needed.
    public static let grownBytesMax = 64 << 10

    /// The last second of the year 9999, beyond which RFC 3339 has no notation.
    public static let unixSecondsMax: Int64 = 253_402_300_799

    /// How far from now digits are still taken for a Unix time that lacks its `@`: ten years.
    public static let unixTimeSecondsAway: Int64 = 3_653 * 86_400
}
