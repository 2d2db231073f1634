internal import Topics

/// Gives the parked jobs of an older file their rows.
///
/// Before version 11 a job had a row while it was open. A job behind another one of its key was
/// found in the log at each start. A job that was settled before the next one of its key was found
/// left its row as a mark, with the topic 0.
enum ParkedJobs {
    /// Adds a row for each event that a group has taken in and that has the key of an older row.
    ///
    /// - Complexity: O(events behind the first job of each group that is ordered by key).
    static func insert(into database: Database) throws(DatabaseError) {
        let groups = try database.prepare(
            "SELECT number, selector, type, reach FROM groups WHERE by_key = 1")
        let first = try database.prepare(
            """
            SELECT key, min(id) FROM jobs WHERE in_group = ?1 AND key IS NOT NULL GROUP BY key
            """)
        let events = try database.prepare(
            """
            SELECT id, topic, key FROM events
            WHERE id > ?1 AND id <= ?2 AND key IS NOT NULL AND (?3 IS NULL OR type = ?3)
            """)
        let insert = try database.prepare(
            """
            INSERT OR IGNORE INTO jobs (in_group, id, topic, key, attempt, due)
            VALUES (?1, ?2, ?3, ?4, 0, 0)
            """)
        while try groups.step() {
            guard let selector = try? Selector(groups.text(1) ?? "") else { continue }
            let group = groups.integer(0)
            var heads: [String: Int64] = [:]
            first.bind(group, at: 1)
            while try first.step() { heads[first.text(0) ?? ""] = first.integer(1) }
            guard let begin = heads.values.min() else { continue }
            let topics = try topics(of: selector, in: database)
            insert.bind(group, at: 1)
            events.bind(begin, at: 1)
            events.bind(groups.integer(3), at: 2)
            events.bind(groups.text(2), at: 3)
            while try events.step() {
                let (id, topic) = (events.integer(0), events.integer(1))
                guard let key = events.text(2), let head = heads[key], head < id,
                    let lost = topics[topic], lost < id
                else { continue }
                insert.bind(id, at: 2)
                insert.bind(topic, at: 3)
                insert.bind(key, at: 4)
                try insert.run()
            }
        }
        try database.execute("DELETE FROM jobs WHERE topic = 0")
    }

    /// The numbers of the topics that a selector matches, each with the last id of its lost events.
    private static func topics(
        of selector: Selector, in database: Database
    ) throws(DatabaseError) -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        let all = try database.prepare("SELECT number, name, lost FROM topics")
        while try all.step() {
            guard let name = try? TopicName(all.text(1) ?? ""), selector.matches(name) else {
                continue
            }
            found[all.integer(0)] = all.integer(2)
        }
        return found
    }
}
