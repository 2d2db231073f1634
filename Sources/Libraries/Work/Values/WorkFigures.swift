/// The figures of all groups together, by count; names of groups are in none of them.
package struct WorkFigures: Sendable {
    package var groups = 0
    package var open = 0
    package var leased = 0
    package var waiting = 0
    package var parked = 0
    /// Requests for jobs that wait.
    package var workers = 0
    /// Requests that wait for a reply.
    package var requests = 0
    /// Jobs that were handed out.
    package var taken = 0
    package var done = 0
    package var retried = 0
    package var dead = 0
    package var gone = 0
    package var expired = 0
    /// Settlements and extensions that came after their job was handed on.
    package var leasesLost = 0
    /// Requests that nobody replied to in time.
    package var unanswered = 0
    /// Replies that came after nobody waited any more.
    package var late = 0
    /// How long ago the oldest open job became visible, in seconds; 0 without one.
    package var oldestSeconds = 0

    package init() {}
}
