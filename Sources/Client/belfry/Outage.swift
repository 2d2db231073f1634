internal import BelfryClient
internal import Protection

/// Tells the user that the bus is not there: once for all requests that wait for it.
final class Outage: Sendable {
    private let isSaid = Protected(false)

    /// Says it, unless it was said since the last ``end()``.
    func say(_ error: ClientError) {
        let isNew = isSaid.write { isSaid in
            defer { isSaid = true }
            return !isSaid
        }
        if isNew { Output.say("\(error); still trying") }
    }

    /// A request was answered.
    func end() { isSaid.value = false }
}
