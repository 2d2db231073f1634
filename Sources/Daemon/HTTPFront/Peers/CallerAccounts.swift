internal import Protection

/// The accounts of all users that are connected, and how many connections each has.
///
/// An account stays as long as its user has a connection or anything that one of them left behind, and
/// until there are many: most users come again.
/// Safe from any thread; each connection takes the lock twice in its life, requests never do.
final class CallerAccounts: Sendable {
    private struct Entry {
        let account: CallerAccount
        var connections = 0

        var isInUse: Bool { connections > 0 || !account.isIdle }

        mutating func enter(connectionsMax: Int) -> CallerAccount? {
            guard connections < connectionsMax else { return nil }
            connections += 1
            return account
        }
    }

    private struct Table {
        var entries: [UInt32?: Entry] = [:]
        /// How many entries there may be before idle ones are looked for.
        var sweepAt = CallerAccounts.sweepMin
    }

    private let table = Protected(Table())

    /// Counts one more connection of a user; nil when they have as many as they may.
    func enter(_ uid: UInt32?, connectionsMax: Int) -> CallerAccount? {
        table.write { table in
            if table.entries[uid] == nil {
                Self.sweep(&table)
                table.entries[uid] = Entry(account: CallerAccount(uid: uid))
            }
            return table.entries[uid]!.enter(connectionsMax: connectionsMax)
        }
    }

    /// Counts one connection less.
    func leave(_ account: CallerAccount) {
        table.write { $0.entries[account.uid]!.connections -= 1 }
    }

    /// The accounts of users who have something, each with its number of connections.
    var all: [(account: CallerAccount, connections: Int)] {
        table.read { table in
            table.entries.values.filter(\.isInUse).map { ($0.account, $0.connections) }
        }
    }

    /// Forgets users without connections whose last publishes have been answered since: only who
    /// has a connection can take more. Each look pays for as many new users as it left.
    private static func sweep(_ table: inout Table) {
        guard table.entries.count >= table.sweepAt else { return }
        table.entries = table.entries.filter { $1.isInUse }
        table.sweepAt = max(sweepMin, 2 * table.entries.count)
    }

    private static let sweepMin = 64
}
