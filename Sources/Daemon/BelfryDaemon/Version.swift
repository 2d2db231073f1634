/// Which Belfry this is.
public enum Version {
    /// The number of the release, as `--version` and `/version` say it.
    public static let number = "0.1.0"
}
