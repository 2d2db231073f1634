package import Topics

extension SQLiteStore {
    /// Looks at all of a store that nobody writes to at the moment.
    ///
    /// - Returns: The faults, one sentence each, at most 20; none if it is whole.
    /// - Throws: `StoreError` if it is no store, of another version, or in use.
    /// - Complexity: O(size of the file).
    package static func check(_ path: String) throws(StoreError) -> [String] {
        let file = try StoreFile(existing: path)
        try StoreFile.checkJournal(file.path)
        do {
            let database = try Database(file, mode: .writing)
            try StoreOpening.checkKind(database, file.path, .current)
            var findings = try database.texts("PRAGMA integrity_check(\(Limits.findingsMax))")
            guard findings == ["ok"] else { return findings }
            findings = []
            let version = try database.integer("PRAGMA user_version")
            let numbers = NumberColumn.all.map { ($0.findings, $0.since) }
            for (sql, since) in numbers + contradictions where version >= since {
                findings += try database.texts("\(sql) LIMIT \(Limits.findingsMax)")
            }
            for (table, column, since) in names where version >= since {
                findings += try badNames(in: database, table, column)
            }
            for (title, sql, since) in metadata where version >= since {
                findings += try badMetadata(in: database, title, sql)
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

    /// The columns that name topics, each from a version of the schema on.
    private static let names: [(table: String, column: String, since: Int64)] = [
        ("topics", "name", 1), ("keys", "topic", 14), ("later", "topic", 15),
        ("later_removed", "topic", 17),
    ]

    /// Names that no topic can have.
    private static func badNames(
        in database: Database, _ table: String, _ column: String
    ) throws(DatabaseError) -> [String] {
        var findings: [String] = []
        for name in try database.texts("SELECT DISTINCT \(column) FROM \(table)") {
            guard findings.count < Limits.findingsMax else { break }
            if (try? TopicName(name)) == nil {
                findings.append(
                    "the table \(table) names a topic '\(name.prefix(40))', which no topic is called"
                )
            }
        }
        return findings
    }

    /// The rows with fields of events, in the columns of ``EventColumns``, each from a version of the schema on.
    private static let metadata: [(title: String, sql: String, since: Int64)] = [
        ("event", "SELECT \(EventColumns.names) FROM events ORDER BY id", 5),
        ("held event", "SELECT \(EventColumns.heldNamesRead) FROM held ORDER BY id", 15),
    ]

    /// Events with fields that no event can have.
    private static func badMetadata(
        in database: Database, _ title: String, _ sql: String
    ) throws(DatabaseError) -> [String] {
        var findings: [String] = []
        var columns = MetadataColumns()
        let rows = try database.prepare(sql)
        while try rows.step(), findings.count < Limits.findingsMax {
            // The table of numbers has told of this one.
            if rows.isOutOfRange(EventColumns.expires, .eventExpires) { continue }
            do throws(DatabaseError) {
                _ = try columns.read(rows)
            } catch {
                findings.append("\(title) \(rows.knownID(EventColumns.id)): \(error.text)")
            }
        }
        return findings
    }

    /// Contradictions that SQLite cannot know. Each statement returns sentences, from a version of
    /// the schema on.
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
            SELECT printf('the identity of the store is %s', substr(quote(identity), 1, 40))
            FROM bus WHERE length(identity) NOT BETWEEN 1 AND \(Limits.identityBytesMax)
                OR identity GLOB '*[^0-9a-z]*'
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
            SELECT printf('ticket %d counts %d events of %d bytes, and has %d of %d', ticket, count,
                bytes, found, found_bytes)
            FROM (SELECT ticket, count, bytes,
                (SELECT count(*) FROM held WHERE id >= ticket AND id < ticket + count) AS found,
                (SELECT coalesce(sum(length(payload)), 0) FROM held
                    WHERE id >= ticket AND id < ticket + count) AS found_bytes
                FROM later WHERE ended IS NULL)
            WHERE found <> count OR found_bytes <> bytes
            """, 15
        ),
        (
            """
            SELECT printf('held event %d is of no ticket', id) FROM held
            WHERE NOT EXISTS (SELECT 1 FROM later
                WHERE ended IS NULL AND ticket <= id AND id < ticket + count)
            """, 15
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
