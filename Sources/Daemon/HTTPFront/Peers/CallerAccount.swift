public import Telemetry

/// The things that one user holds of the server and the bus at this moment, over all of their
/// connections.
///
/// The server counts connections. Its handler counts everything else, and gives back all that it
/// took, even if the connection is gone. All callers that the kernel does not name have one account
/// together.
///
/// Safe from any thread.
public final class CallerAccount: Sendable {
    /// The user; nil for all unknown callers.
    public let uid: UInt32?

    /// Connections; changed by `CallerAccounts` alone.
    let connections = Gauge()

    /// Requests that wait and streams.
    public let subscribers = Gauge()

    /// Bytes that wait to be committed.
    public let queuedBytes = Gauge()

    init(uid: UInt32?) {
        self.uid = uid
    }

    /// The user in words, for the beginning of a sentence.
    public var name: String { uid.map { "User \($0)" } ?? "All unknown callers together" }

    /// Whether its user has nothing.
    var isIdle: Bool {
        connections.value == 0 && subscribers.value == 0 && queuedBytes.value == 0
    }
}
