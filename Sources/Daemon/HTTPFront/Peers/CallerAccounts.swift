internal import Protection

/// The accounts of all users that are connected, and how many connections each has.
///
/// An account stays as long as its user has a connection or anything that one of them left behind.
/// It also stays until there are many accounts, since most users come again. Safe from any thread;
/// each connection takes the lock twice in its life, requests never do.
final class CallerAccounts: Sendable {
    private struct Table {
        var accounts: [UInt32?: CallerAccount] = [:]
        /// The account of the user that came last: most often it is the same user again.
        var last: CallerAccount?
        /// The number of accounts from which on idle ones are looked for.
        var sweepAt = CallerAccounts.sweepMin
    }

    private let table = Protected(Table())

    /// Counts one more connection of a user; nil when they have as many as they may.
    func enter(_ uid: UInt32?, connectionsMax: Int) -> CallerAccount? {
        table.write { table in
            let account = Self.account(of: uid, &table)
            guard account.connections.value < connectionsMax else { return nil }
            account.connections.add(1)
            return account
        }
    }

    /// Counts one connection less.
    func leave(_ account: CallerAccount) {
        // In the lock, so that a search for idle accounts sees all that was taken before.
        table.write { _ in _ = account.connections.add(-1) }
    }

    /// The accounts of users that hold anything, each with its number of connections.
    var all: [(account: CallerAccount, connections: Int)] {
        table.read { table in
            table.accounts.values.filter { !$0.isIdle }.map { ($0, $0.connections.value) }
        }
    }

    private static func account(of uid: UInt32?, _ table: inout Table) -> CallerAccount {
        if let last = table.last, last.uid == uid { return last }
        let account = table.accounts[uid] ?? open(uid, &table)
        table.last = account
        return account
    }

    private static func open(_ uid: UInt32?, _ table: inout Table) -> CallerAccount {
        sweep(&table)
        let account = CallerAccount(uid: uid)
        table.accounts[uid] = account
        return account
    }

    /// Forgets users that hold nothing: they have no connections, and their last publishes have
    /// been answered since. Only a user with a connection can take more. Each look pays for as many
    /// new users as it left.
    private static func sweep(_ table: inout Table) {
        guard table.accounts.count >= table.sweepAt else { return }
        table.accounts = table.accounts.filter { !$1.isIdle }
        table.last = nil
        table.sweepAt = max(sweepMin, 2 * table.accounts.count)
    }

    private static let sweepMin = 64
}
