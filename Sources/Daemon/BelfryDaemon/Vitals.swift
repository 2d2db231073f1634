/// How a daemon does at one moment.
public struct Vitals: Equatable, Sendable {
    /// A line with its counts, and the problem if there is one.
    public let summary: String
    /// The parts that have not moved since the last look, though they should have.
    public let hanging: [String]

    /// The line that systemd shows.
    var status: String {
        hanging.isEmpty ? summary : "\(summary); hangs: \(hanging.joined(separator: ", "))"
    }
}
