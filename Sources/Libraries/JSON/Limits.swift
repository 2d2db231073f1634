/// The bounds of JSON, each with the reason for its number.
public enum JSONLimits {
    /// Levels of a value: common readers accept as many without being told. ``JSONWalk`` has a bit for each.
    public static let depthMax = 64

    /// Bytes of JSON that a byte of text takes at the most, as `\u0001`.
    public static let bytesPerByteMax = 6
}
