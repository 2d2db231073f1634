/// What begins and ends the writer's transactions: statements that are prepared once.
///
/// Belongs to the writer's thread.
struct Transaction {
    private let beginning: Statement
    private let ending: Statement

    init(_ database: Database) throws(DatabaseError) {
        beginning = try database.prepare("BEGIN IMMEDIATE")
        ending = try database.prepare("COMMIT")
    }

    /// Begins a transaction, as the only one that writes.
    func begin() throws(DatabaseError) { try beginning.run() }

    /// Makes what was written since ``begin()`` stay.
    func commit() throws(DatabaseError) { try ending.run() }
}
