/// How a daemon does at one moment.
public struct Vitals: Equatable, Sendable {
    /// What it holds, and what is wrong, in a line.
    public let summary: String
    /// What has not moved since it was last looked at, though it should have.
    public let hanging: [String]

    /// The line that systemd shows.
    var status: String {
        hanging.isEmpty ? summary : "\(summary); hangs: \(hanging.joined(separator: ", "))"
    }
}
