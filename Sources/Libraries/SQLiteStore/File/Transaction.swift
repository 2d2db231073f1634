/// The statements that begin and end the writer's transactions, prepared once.
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

    /// Makes everything stay that was written since ``begin()``.
    func commit() throws(DatabaseError) { try ending.run() }
}
