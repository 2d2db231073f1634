// What happens when answers that nobody reads fill their share of memory.
extension EventLoop {
    /// Closes the connections that are longest without progress, until unsent answers keep well
    /// less than their share of memory again; `newest`, which was answered just now, is spared.
    ///
    /// Every search that finds somebody frees an eighth of the share at least, so searches are
    /// few; one that finds nobody is not repeated for `shedIntervalMilliseconds`.
    func shedSlowestIfShort(sparing newest: Connection) {
        guard unsent.isShort, now >= nextShedAt else { return }
        var excess = unsent.excess
        var slow: [Connection] = []
        for connection in connections.all where connection !== newest {
            if connection.machine.parsing?.isCutOff == true {
                excess -= connection.unsentBytes
            } else if connection.tail != nil || connection.request?.stage == .answered {
                slow.append(connection)
            }
        }
        if slow.isEmpty { nextShedAt = now + HTTPFrontLimits.shedIntervalMilliseconds }
        slow.sort { $0.progressedAt < $1.progressedAt }
        for connection in slow {
            if excess <= 0 { break }
            excess -= connection.unsentBytes
            meters.shed.add()
            switch connection.machine.phase {
            case .streaming: lose(connection)
            case .writing: closeConnection(connection)
            default: cutOff(connection)
            }
        }
    }
}
