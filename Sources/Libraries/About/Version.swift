/// The version of Belfry. Programs, manual pages and packages take it from this one place.
package enum Version {
    /// The number of the release, as `--version` and `/version` say it.
    package static let number = "0.1.0"
    /// The day of the release, which the manual pages carry.
    package static let date = "2026-11-23"
}
