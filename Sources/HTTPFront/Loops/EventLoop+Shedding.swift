// What happens when answers that nobody reads fill their share of memory.
extension EventLoop {
    /// Closes the connections that are longest without progress while unsent answers keep more
    /// memory than their share.
    ///
    /// Looks through the connections at most once in `shedIntervalMilliseconds`.
    func shedSlowestIfShort() {
        guard unsent.isShort, now >= nextShedAt else { return }
        nextShedAt = now + HTTPFrontLimits.shedIntervalMilliseconds
        let slowest = connections.all
            .filter { $0.phase == .sending || $0.request?.stage == .answered }
            .sorted { $0.progressedAt < $1.progressedAt }
        for connection in slowest.prefix(HTTPFrontLimits.shedConnectionsMax) where unsent.isShort {
            meters.shed.add()
            if connection.phase == .sending {
                closeConnection(connection)
            } else {
                cutOff(connection)
            }
        }
    }
}
