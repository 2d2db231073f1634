/// The bounds of what goes over the wire, each with the reason for its number.
public enum WireLimits {
    /// Room beside its payload that is made for the envelope of an event that is written together with
    /// others; where it needs more, the room grows.
    public static let envelopeBytes = 256

    /// Bytes of a payload whose envelope is written where room grows twice as large: beyond it that would
    /// be more than is needed.
    public static let grownBytesMax = 64 << 10
}
