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
            let version = try database.integer("PRAGMA user_version")
            for (sql, since) in contradictions where version >= since {
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

    /// What SQLite can not know: each returns sentences, from a version of the schema on.
    private static let contradictions: [(sql: String, since: Int64)] = [
        (
            """
            SELECT printf('topic %s counts %d events of %d bytes, and has %d of %d', name, events,
                bytes, found, found_bytes)
            FROM (SELECT name, events, bytes,
                (SELECT count(*) FROM events
                    WHERE topic = number AND id > lost) AS found,
                (SELECT coalesce(sum(length(payload)), 0) FROM events
                    WHERE topic = number AND id > lost) AS found_bytes
                FROM topics)
            WHERE found <> events OR found_bytes <> bytes
            """, 1
        ),
        (
            """
            SELECT printf('event %d is of topic %d, which there is not', id, topic) FROM events
            WHERE topic NOT IN (SELECT number FROM topics)
            """, 1
        ),
        (
            """
            SELECT printf('event %d lies above the ceiling of ids, %d', max(id), ceiling)
            FROM events, bus HAVING max(id) >= ceiling
            """, 1
        ),
        (
            """
            SELECT printf('event %d is older than the one before it', id)
            FROM (SELECT id, time, lag(time) OVER (ORDER BY id) AS before FROM events)
            WHERE time < before
            """, 1
        ),
        (
            """
            SELECT printf('job %d is of group %d, which there is not', id, in_group) FROM jobs
            WHERE in_group NOT IN (SELECT number FROM groups)
            """, 4
        ),
        (
            """
            SELECT printf('job %d lies above %d, which group %s has taken in', id, reach, name)
            FROM jobs JOIN groups ON number = in_group WHERE id > reach
            """, 4
        ),
    ]
}
