internal import Topics

/// The tables of a store, by numbered steps that lead from each version to the next.
///
/// A step is never changed once it was released. A later change is another step.
struct Schema {
    /// The application id in the header of the file: "Blfr".
    static let applicationID: Int64 = 0x426C_6672

    /// A step that leads from one version to the next.
    enum Step: ExpressibleByStringLiteral, Sendable {
        case statements(String)
        /// A change that no statement can express.
        case work(@Sendable (Database) throws(DatabaseError) -> Void)

        init(stringLiteral statements: String) { self = .statements(statements) }

        fileprivate func run(in database: Database) throws(DatabaseError) {
            switch self {
            case .statements(let statements): try database.execute(statements)
            case .work(let work): try work(database)
            }
        }
    }

    /// Step `n` makes version `n` of version `n - 1`.
    let steps: [Step]

    /// The version that this program reads and writes.
    var version: Int64 { Int64(steps.count) }

    /// The steps so far.
    static let current = Schema(steps: [
        // 1: everything. `events` of a topic counts its retained events. Rows up to `lost` are gone
        // for readers and wait to be removed. `unstored` is the highest known id of a topic that
        // was given to an event without a row.
        """
        CREATE TABLE bus (
            only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
            identity TEXT NOT NULL,
            life INTEGER NOT NULL,
            is_copy INTEGER NOT NULL,
            is_closed INTEGER NOT NULL,
            ceiling INTEGER NOT NULL,
            time INTEGER NOT NULL,
            floor INTEGER NOT NULL,
            floor_time INTEGER NOT NULL,
            seals INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE topics (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            registered INTEGER NOT NULL,
            keep INTEGER,
            bytes_max INTEGER,
            age INTEGER,
            persists INTEGER NOT NULL,
            owner INTEGER,
            lost INTEGER NOT NULL,
            lost_time INTEGER NOT NULL,
            unstored INTEGER NOT NULL,
            events INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            topic INTEGER NOT NULL,
            time INTEGER NOT NULL,
            uid INTEGER,
            pid INTEGER,
            type TEXT,
            key TEXT,
            content_type TEXT,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_by_topic ON events (topic);
        """,
        // 2: the view that people read with the `sqlite3` program.
        """
        CREATE VIEW log AS
            SELECT events.id, topics.name AS topic,
                strftime('%Y-%m-%dT%H:%M:%S', events.time / 1000000, 'unixepoch')
                    || printf('.%06dZ', events.time % 1000000) AS time,
                type, key, content_type, uid, pid, payload
            FROM events JOIN topics ON topics.number = events.topic
            WHERE events.id > topics.lost;
        """,
        // 3: an event that never was is told from one that is gone, in later lives, too.
        "ALTER TABLE bus ADD COLUMN unused_through INTEGER NOT NULL DEFAULT 0;",
        // 4: work groups and their open jobs. A job with a token is leased. `due` is how long a job
        // waits that nobody has.
        """
        CREATE TABLE groups (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            selector TEXT NOT NULL,
            type TEXT,
            lease INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            dead TEXT,
            by_key INTEGER NOT NULL,
            in_flight INTEGER NOT NULL,
            replies INTEGER NOT NULL,
            persists INTEGER NOT NULL,
            owner INTEGER,
            epoch INTEGER NOT NULL,
            reach INTEGER NOT NULL,
            gap_reported INTEGER NOT NULL,
            gap_after INTEGER,
            gap_through INTEGER,
            done INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            gone INTEGER NOT NULL,
            expired INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE jobs (
            in_group INTEGER NOT NULL,
            id INTEGER NOT NULL,
            topic INTEGER NOT NULL,
            key TEXT,
            attempt INTEGER NOT NULL,
            due INTEGER,
            lease INTEGER,
            token_high INTEGER,
            token_low INTEGER,
            worker TEXT,
            caller TEXT,
            PRIMARY KEY (in_group, id)
        ) STRICT, WITHOUT ROWID;
        """,
        // 5: attributes of events, a line `name=value` for each, and their expiries.
        """
        ALTER TABLE events ADD COLUMN attributes TEXT;
        ALTER TABLE events ADD COLUMN expires INTEGER;
        DROP VIEW log;
        CREATE VIEW log AS
            SELECT events.id, topics.name AS topic,
                strftime('%Y-%m-%dT%H:%M:%S', events.time / 1000000, 'unixepoch')
                    || printf('.%06dZ', events.time % 1000000) AS time,
                type, key, content_type, uid, pid, payload, attributes,
                strftime('%Y-%m-%dT%H:%M:%S', events.expires / 1000000, 'unixepoch')
                    || printf('.%06dZ', events.expires % 1000000) AS expires
            FROM events JOIN topics ON topics.number = events.topic
            WHERE events.id > topics.lost;
        """,
        // 6: the work group that a topic is held for.
        "ALTER TABLE topics ADD COLUMN hold TEXT;",
        // 7: the caller that chose the dead topic of a group; in older rows it is the maker.
        """
        ALTER TABLE groups ADD COLUMN dead_uid INTEGER;
        ALTER TABLE groups ADD COLUMN dead_token TEXT;
        UPDATE groups SET dead_uid = owner WHERE dead IS NOT NULL;
        """,
        // 8: which group a topic is held for: the name alone may come to be another's.
        """
        ALTER TABLE topics ADD COLUMN hold_group INTEGER;
        UPDATE topics SET hold_group = (SELECT number FROM groups WHERE groups.name = hold)
            WHERE hold IS NOT NULL;
        """,
        // 9: when the spans of jobs are over, by the clock of the boot that the row was written
        // under and by the time; and the boot of the last life, with the moment of its first one.
        """
        ALTER TABLE bus ADD COLUMN boot TEXT NOT NULL DEFAULT '';
        ALTER TABLE bus ADD COLUMN boot_number INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE bus ADD COLUMN boot_began INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE bus ADD COLUMN boot_time INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN boot INTEGER;
        ALTER TABLE jobs ADD COLUMN until INTEGER;
        ALTER TABLE jobs ADD COLUMN until_time INTEGER;
        """,
        // 10: dead letters that were published again say so. Before, an event of type `revived`
        // behind the letter said it alone. Such events are looked for in the dead topics of the
        // groups that there are.
        """
        ALTER TABLE events ADD COLUMN revived INTEGER;
        UPDATE events SET revived = 1 WHERE id IN (
            SELECT letter.id FROM groups CROSS JOIN topics ON topics.name = groups.dead
                CROSS JOIN events AS mark ON mark.topic = topics.number AND mark.type = 'revived'
                CROSS JOIN events AS letter ON letter.id = CAST(mark.key AS INTEGER)
            WHERE letter.topic = mark.topic);
        """,
        // 11: jobs that are parked behind another one of their key have rows.
        .work { database throws(DatabaseError) in try ParkedJobs.insert(into: database) },
        // 12: the order of several hosts that the store follows, if any, and its last group here.
        """
        ALTER TABLE bus ADD COLUMN order_life TEXT;
        ALTER TABLE bus ADD COLUMN order_base INTEGER;
        ALTER TABLE bus ADD COLUMN order_sequence INTEGER;
        ALTER TABLE bus ADD COLUMN order_chain TEXT;
        ALTER TABLE bus ADD COLUMN order_line INTEGER;
        ALTER TABLE bus ADD COLUMN order_keep INTEGER;
        ALTER TABLE bus ADD COLUMN order_bytes INTEGER;
        ALTER TABLE bus ADD COLUMN order_age INTEGER;
        ALTER TABLE bus ADD COLUMN order_tombstones INTEGER;
        ALTER TABLE bus ADD COLUMN order_bytes_max INTEGER;
        """,
        // 13: the attributes that the events of a group have, a line `name=value` for each.
        "ALTER TABLE groups ADD COLUMN attributes TEXT;",
        // 14: keys of publishes, each by the first id of its events. `high` and `low` are a digest of the
        // publisher, the topic and the key, `print` is one of the contents.
        """
        CREATE TABLE keys (
            id INTEGER PRIMARY KEY,
            high INTEGER NOT NULL,
            low INTEGER NOT NULL,
            topic TEXT NOT NULL,
            uid INTEGER,
            count INTEGER NOT NULL,
            time INTEGER NOT NULL,
            window INTEGER NOT NULL,
            print INTEGER NOT NULL,
            number INTEGER
        ) STRICT;
        """,
        // 15: events that are held until they are due, each batch by its first id, and the events with columns
        // as in `events`. `span` is how long they are held, `until` its end by the clock of the boot. Once
        // they are not held any more, `ended` has the time, and `published` their first id in the log, or 0.
        """
        CREATE TABLE later (
            ticket INTEGER PRIMARY KEY,
            topic TEXT NOT NULL,
            due INTEGER NOT NULL,
            span INTEGER,
            boot INTEGER,
            until INTEGER,
            ttl INTEGER,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            published INTEGER,
            ended INTEGER
        ) STRICT;
        CREATE TABLE held (
            id INTEGER PRIMARY KEY,
            uid INTEGER,
            pid INTEGER,
            type TEXT,
            key TEXT,
            content_type TEXT,
            attributes TEXT,
            payload BLOB NOT NULL
        ) STRICT;
        """,
        // 16: schedules: the distance of their times, a name, and a digest of their events.
        """
        ALTER TABLE later ADD COLUMN every INTEGER;
        ALTER TABLE later ADD COLUMN name TEXT;
        ALTER TABLE later ADD COLUMN print INTEGER;
        """,
        // 17: topics that were removed while events were held for them: rows of `later` and `held` up to a ticket are
        // gone, and wait to be removed.
        """
        CREATE TABLE later_removed (
            topic TEXT PRIMARY KEY,
            through INTEGER NOT NULL
        ) STRICT;
        """,
        // 18: topics that are expected to have an event within a time, the time of the last one, and whether the bus
        // has said that they are silent (1), or is to say that they are not any more (2).
        """
        ALTER TABLE topics ADD COLUMN expect INTEGER;
        ALTER TABLE topics ADD COLUMN heard INTEGER;
        ALTER TABLE topics ADD COLUMN silence INTEGER;
        """,
        // 19: the last id that a topic had when it was removed: conditions of publishes are about the events since.
        """
        ALTER TABLE topics ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
        """,
        // 20: how many of the events of a topic the bus published about it.
        .work { database throws(DatabaseError) in
            try database.execute(
                """
                ALTER TABLE topics ADD COLUMN of_bus INTEGER NOT NULL DEFAULT 0;
                UPDATE topics SET of_bus = (SELECT count(*) FROM events
                    WHERE topic = number AND id > lost AND \(EventColumns.isOfBus))
                """)
        },
    ])

    /// Brings an empty or older file to this version in one transaction, which waits for the disk once.
    ///
    /// The caller has seen to it that the version is not a newer one.
    func migrate(_ database: Database) throws(DatabaseError) {
        let version = try database.integer("PRAGMA user_version")
        guard version < self.version else { return }
        do {
            try database.execute("BEGIN IMMEDIATE")
            for step in steps[Int(version)...] { try step.run(in: database) }
            try database.execute(
                """
                PRAGMA application_id = \(Self.applicationID);
                PRAGMA user_version = \(self.version); COMMIT
                """)
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }
}

/// The columns of whole rows of `events`, in the order in which statements name them.
enum EventColumns {
    static let id: Int32 = 0
    static let topic: Int32 = 1
    static let time: Int32 = 2
    static let uid: Int32 = 3
    static let pid: Int32 = 4
    static let payload: Int32 = 5
    static let attributes: Int32 = 6
    static let expires: Int32 = 7

    /// The column of an attribute.
    static func of(_ field: MetadataField) -> Int32 {
        expires + 1 + Int32(field.rawValue)
    }

    /// The name of the column of an attribute; one that is new is a step more of the schema, and in the view `log`.
    static func name(of field: MetadataField) -> String {
        switch field {
        case .type: "type"
        case .key: "key"
        case .contentType: "content_type"
        }
    }

    private static let all =
        ["id", "topic", "time", "uid", "pid", "payload", "attributes", "expires"]
        + MetadataField.all.map(name)

    /// The names, for a statement.
    static let names = all.joined(separator: ", ")

    /// Whether an event is one that the bus published about its topic, as ``EventMetadata/isOfBus`` says: a type of the
    /// bus, and no attribute of a dead letter or a copy. Attributes lie behind the payload, and are read for such types alone.
    static let isOfBus =
        "CASE WHEN type GLOB '$*' THEN "
        + EventAttributes.prefixesOfBus.map {
            "instr(char(10) || coalesce(attributes, ''), char(10) || '\($0)') = 0"
        }.joined(separator: " AND ") + " ELSE 0 END"

    /// The column that is written later, behind the others, and their names with it.
    static let revived = Int32(all.count)
    static let namesRead = names + ", revived"

    /// The columns that `held` has too, with the same parameters. Statements read NULL instead of others.
    private static let heldColumns = all.indices.filter {
        !["topic", "time", "expires"].contains(all[$0])
    }
    static let heldNames = heldColumns.map { all[$0] }.joined(separator: ", ")
    static let heldParameters = heldColumns.map { "?\($0 + 1)" }.joined(separator: ", ")
    /// The column behind ``heldNamesRead``.
    static let heldCount = Int32(all.count)
    static let heldNamesRead = all.indices
        .map { heldColumns.contains($0) ? all[$0] : "NULL" }.joined(separator: ", ")

    /// A parameter for each, for a statement.
    static let parameters = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
}
