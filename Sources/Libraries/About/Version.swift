/// Which Belfry this is: the one place that says so. Programs, manual pages and packages ask it.
package enum Version {
    /// The number of the release, as `--version` and `/version` say it.
    package static let number = "0.1.0"
    /// The day of the release, which the manual pages carry.
    package static let date = "2026-11-23"
}
