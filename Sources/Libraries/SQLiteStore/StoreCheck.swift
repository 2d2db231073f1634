package import Topics

extension SQLiteStore {
    /// Looks at all of a store that nobody writes to at the moment.
    ///
    /// - Returns: What is wrong, one sentence each, at most 20; nothing if it is whole.
    /// - Throws: `StoreError` if it is no store, of another version, or in use.
    /// - Complexity: O(size of the file).
    package static func check(_ path: String) throws(StoreError) -> [String] {
        let file = try StoreFile(existing: path)
        do {
            let database = try Database(file, mode: .writing)
            try StoreOpening.checkKind(database, file.path, .current)
            var findings = try database.texts("PRAGMA integrity_check(\(Limits.findingsMax))")
            guard findings == ["ok"] else { return findings }
            findings = []
            for sql in contradictions {
                findings += try database.texts("\(sql) LIMIT \(Limits.findingsMax)")
            }
            return Array(findings.prefix(Limits.findingsMax))
        } catch let error as DatabaseError {
            throw .unusable(path, error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("an error of no kind: \(error)")
        }
    }

    /// What SQLite can not know: each returns sentences.
    private static let contradictions = [
        """
        SELECT printf('topic %s counts %d events of %d bytes, and has %d of %d', name, events, bytes,
            found, found_bytes)
        FROM (SELECT name, events, bytes,
            (SELECT count(*) FROM events
                WHERE topic = number AND id > lost) AS found,
            (SELECT coalesce(sum(length(payload)), 0) FROM events
                WHERE topic = number AND id > lost) AS found_bytes
            FROM topics)
        WHERE found <> events OR found_bytes <> bytes
        """,
        """
        SELECT printf('event %d is of topic %d, which there is not', id, topic) FROM events
        WHERE topic NOT IN (SELECT number FROM topics)
        """,
        """
        SELECT printf('event %d lies above the ceiling of ids, %d', max(id), ceiling)
        FROM events, bus HAVING max(id) >= ceiling
        """,
        """
        SELECT printf('event %d is older than the one before it', id)
        FROM (SELECT id, time, lag(time) OVER (ORDER BY id) AS before FROM events)
        WHERE time < before
        """,
    ]
}
