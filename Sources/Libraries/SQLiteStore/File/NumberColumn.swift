internal import Topics

/// One column of numbers, and the values that it may hold. The readers of its rows and
/// `--check-store` use the same table of columns.
///
/// A number that another program or a bad disk wrote there must not end the process. So no reader
/// computes with a number of the file that is not in its range.
struct NumberColumn {
    let table: StaticString
    let name: StaticString
    let range: ClosedRange<Int64>
    /// Whether it may be absent.
    let isOptional: Bool
    /// The version of the schema that has it first.
    let since: Int64

    private init(
        _ table: StaticString, _ name: StaticString, _ range: ClosedRange<Int64>,
        isOptional: Bool = false, since: Int64 = 1
    ) {
        (self.table, self.name, self.range) = (table, name, range)
        (self.isOptional, self.since) = (isOptional, since)
    }

    private static func bus(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false,
        since: Int64 = 1
    ) -> NumberColumn {
        NumberColumn("bus", name, range, isOptional: isOptional, since: since)
    }

    private static func topics(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false,
        since: Int64 = 1
    ) -> NumberColumn {
        NumberColumn("topics", name, range, isOptional: isOptional, since: since)
    }

    private static func events(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false,
        since: Int64 = 1
    ) -> NumberColumn {
        NumberColumn("events", name, range, isOptional: isOptional, since: since)
    }

    private static func groups(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false,
        since: Int64 = 4
    ) -> NumberColumn {
        NumberColumn("groups", name, range, isOptional: isOptional, since: since)
    }

    private static func jobs(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false,
        since: Int64 = 4
    ) -> NumberColumn {
        NumberColumn("jobs", name, range, isOptional: isOptional, since: since)
    }

    private static func keys(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false
    ) -> NumberColumn {
        NumberColumn("keys", name, range, isOptional: isOptional, since: 14)
    }

    private static func later(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false,
        since: Int64 = 15
    ) -> NumberColumn {
        NumberColumn("later", name, range, isOptional: isOptional, since: since)
    }

    private static func held(
        _ name: StaticString, _ range: ClosedRange<Int64>, isOptional: Bool = false
    ) -> NumberColumn {
        NumberColumn("held", name, range, isOptional: isOptional, since: 15)
    }

    static let busLife = bus("life", Limits.counts)
    static let busIsCopy = bus("is_copy", Limits.flags)
    static let busIsClosed = bus("is_closed", Limits.flags)
    static let busCeiling = bus("ceiling", Limits.ids)
    static let busTime = bus("time", Limits.lossTimes)
    static let busFloor = bus("floor", Limits.ids)
    static let busFloorTime = bus("floor_time", Limits.lossTimes)
    static let busSeals = bus("seals", Limits.counts)
    static let busUnusedThrough = bus("unused_through", Limits.ids, since: 3)
    static let busBootNumber = bus("boot_number", Limits.counts, since: 9)
    static let busBootBegan = bus("boot_began", Limits.counts, since: 9)
    static let busBootTime = bus("boot_time", Limits.times, since: 9)
    static let busOrderBase = bus("order_base", Limits.keys, isOptional: true, since: 12)
    static let busOrderSequence = bus("order_sequence", Limits.counts, isOptional: true, since: 12)
    static let busOrderLine = bus("order_line", Limits.counts, isOptional: true, since: 12)
    static let busOrderKeep = bus("order_keep", Limits.bounds, isOptional: true, since: 12)
    static let busOrderBytes = bus("order_bytes", Limits.bounds, isOptional: true, since: 12)
    static let busOrderAge = bus("order_age", Limits.bounds, isOptional: true, since: 12)
    static let busOrderTombstones = bus(
        "order_tombstones", Limits.bounds, isOptional: true, since: 12)
    static let busOrderBytesMax = bus("order_bytes_max", Limits.bounds, isOptional: true, since: 12)

    static let topicNumber = topics("number", Limits.keys)
    static let topicRegistered = topics("registered", Limits.flags)
    static let topicKeep = topics("keep", Limits.bounds, isOptional: true)
    static let topicBytesMax = topics("bytes_max", Limits.bounds, isOptional: true)
    static let topicAge = topics("age", Limits.bounds, isOptional: true)
    static let topicPersists = topics("persists", Limits.flags)
    static let topicOwner = topics("owner", Limits.users, isOptional: true)
    static let topicLost = topics("lost", Limits.ids)
    static let topicLostTime = topics("lost_time", Limits.lossTimes)
    static let topicUnstored = topics("unstored", Limits.ids)
    static let topicEvents = topics("events", Limits.counts)
    static let topicBytes = topics("bytes", Limits.counts)
    static let topicHoldGroup = topics("hold_group", Limits.keys, isOptional: true, since: 8)
    static let topicExpect = topics(
        "expect", Silence.expectations, isOptional: true, since: 18)
    static let topicHeard = topics("heard", Limits.times, isOptional: true, since: 18)
    static let topicSilence = topics("silence", 0...2, isOptional: true, since: 18)
    static let topicDeleted = topics("deleted", Limits.ids, since: 19)
    static let topicOfBus = topics("of_bus", Limits.counts, since: 20)

    static let eventID = events("id", Limits.keys)
    static let eventTopic = events("topic", Limits.keys)
    static let eventTime = events("time", Limits.times)
    static let eventUID = events("uid", Limits.users, isOptional: true)
    static let eventPID = events("pid", Limits.processes, isOptional: true)
    static let eventExpires = events("expires", Limits.times, isOptional: true, since: 5)
    static let eventRevived = events("revived", Limits.flags, isOptional: true, since: 10)

    static let groupNumber = groups("number", Limits.keys)
    /// The columns of ``GroupSetting/stored``, in their order; nil for a column of texts.
    static let groupSettings = GroupSetting.stored.map { setting -> NumberColumn? in
        guard let column = setting.column else { return nil }
        let range: ClosedRange<Int64>
        switch setting.form {
        case .duration, .count: range = Limits.counts
        case .truth, .word: range = Limits.flags
        case .selector, .type, .attributes, .start, .deadLetters: return nil
        }
        let since = setting.columnSince
        return groups(column, range, isOptional: since > 4, since: since)
    }
    static let groupOwner = groups("owner", Limits.users, isOptional: true)
    static let groupDeadUID = groups("dead_uid", Limits.users, isOptional: true, since: 7)
    static let groupEpoch = groups("epoch", Limits.counts)
    static let groupReach = groups("reach", Limits.ids)
    static let groupGapReported = groups("gap_reported", Limits.ids)
    static let groupGapAfter = groups("gap_after", Limits.ids, isOptional: true)
    static let groupGapThrough = groups("gap_through", Limits.ids, isOptional: true)
    static let groupDone = groups("done", Limits.counts)
    static let groupFailed = groups("failed", Limits.counts)
    static let groupGone = groups("gone", Limits.counts)
    static let groupExpired = groups("expired", Limits.counts)

    static let jobGroup = jobs("in_group", Limits.keys)
    static let jobID = jobs("id", Limits.keys)
    static let jobTopic = jobs("topic", Limits.ids)
    static let jobAttempt = jobs("attempt", Limits.counts)
    static let jobDue = jobs("due", Limits.counts, isOptional: true)
    static let jobLease = jobs("lease", Limits.counts, isOptional: true)
    static let jobTokenHigh = jobs("token_high", Limits.any, isOptional: true)
    static let jobTokenLow = jobs("token_low", Limits.any, isOptional: true)
    static let jobBoot = jobs("boot", Limits.counts, isOptional: true, since: 9)
    static let jobUntil = jobs("until", Limits.counts, isOptional: true, since: 9)
    static let jobUntilTime = jobs("until_time", Limits.times, isOptional: true, since: 9)

    static let keyID = keys("id", Limits.keys)
    static let keyHigh = keys("high", Limits.any)
    static let keyLow = keys("low", Limits.any)
    static let keyPrint = keys("print", Limits.any)
    static let keyUID = keys("uid", Limits.users, isOptional: true)
    static let keyCount = keys("count", Limits.batchCounts)
    static let keyTime = keys("time", Limits.times)
    static let keyWindow = keys("window", Limits.windows)
    static let keyNumber = keys("number", Limits.bounds, isOptional: true)

    static let laterTicket = later("ticket", Limits.keys)
    static let laterDue = later("due", Limits.times)
    static let laterSpan = later("span", Limits.bounds, isOptional: true)
    static let laterBoot = later("boot", Limits.counts, isOptional: true)
    static let laterUntil = later("until", Limits.counts, isOptional: true)
    static let laterTTL = later("ttl", Limits.bounds, isOptional: true)
    static let laterCount = later("count", Limits.batchCounts)
    static let laterBytes = later("bytes", Limits.counts)
    static let laterPublished = later("published", Limits.ids, isOptional: true)
    static let laterEnded = later("ended", Limits.times, isOptional: true)
    static let laterEvery = later("every", Schedule.intervals, isOptional: true, since: 16)
    static let laterPrint = later("print", Limits.any, isOptional: true, since: 16)
    static let laterRemovedThrough = NumberColumn(
        "later_removed", "through", Limits.keys, since: 17)
    static let heldID = held("id", Limits.keys)
    static let heldUID = held("uid", Limits.users, isOptional: true)
    static let heldPID = held("pid", Limits.processes, isOptional: true)

    /// Every column of numbers there is.
    static let all =
        [
            busLife, busIsCopy, busIsClosed, busCeiling, busTime, busFloor, busFloorTime, busSeals,
            busUnusedThrough, busBootNumber, busBootBegan, busBootTime,
            busOrderBase, busOrderSequence, busOrderLine, busOrderKeep, busOrderBytes,
            busOrderAge, busOrderTombstones, busOrderBytesMax,
            topicNumber, topicRegistered, topicKeep, topicBytesMax, topicAge, topicPersists,
            topicOwner,
            topicLost, topicLostTime, topicUnstored, topicEvents, topicBytes, topicHoldGroup,
            topicExpect, topicHeard, topicSilence, topicDeleted, topicOfBus,
            eventID, eventTopic, eventTime, eventUID, eventPID, eventExpires,
            eventRevived,
            groupNumber, groupOwner, groupDeadUID, groupEpoch, groupReach, groupGapReported,
            groupGapAfter,
            groupGapThrough, groupDone, groupFailed, groupGone, groupExpired,
            jobGroup, jobID, jobTopic, jobAttempt, jobDue, jobLease, jobTokenHigh, jobTokenLow,
            jobBoot, jobUntil, jobUntilTime,
            keyID, keyHigh, keyLow, keyPrint, keyUID, keyCount, keyTime, keyWindow, keyNumber,
            laterTicket, laterDue, laterSpan, laterBoot, laterUntil, laterTTL, laterCount,
            laterBytes, laterPublished, laterEnded, laterEvery, laterPrint, laterRemovedThrough,
            heldID, heldUID,
            heldPID,
        ] + groupSettings.compactMap { $0 }

    /// The values that it may hold, for people.
    var allowed: String {
        "\(range.lowerBound) to \(range.upperBound)\(isOptional ? " or nothing" : "")"
    }

    /// A statement that returns a sentence for each row that holds something else.
    var findings: String {
        let wrong =
            "typeof(\(name)) <> 'integer' OR \(name) NOT BETWEEN \(range.lowerBound) AND "
            + "\(range.upperBound)"
        return """
            SELECT \(Self.subject(of: table)) || ' has \(name) ' || substr(quote(\(name)), 1, 40)
                || ', and not \(allowed)'
            FROM \(table) WHERE \(isOptional ? "\(name) IS NOT NULL AND (\(wrong))" : wrong)
            """
    }

    /// The name of a row of a table, as an expression for a statement.
    private static func subject(of table: StaticString) -> String {
        switch "\(table)" {
        case "topics": "'topic ' || name"
        case "events": "'event ' || id"
        case "groups": "'group ' || name"
        case "keys": "'key of event ' || id"
        case "later": "'ticket ' || ticket"
        case "later_removed": "'removed topic ' || topic"
        case "held": "'held event ' || id"
        case "jobs": "'job ' || id || ' of group ' || in_group"
        default: "'the bus'"
        }
    }
}

extension DatabaseError {
    // SQLITE_CORRUPT, for which each file that says so would import the library.
    private static let corrupt: Int32 = 11

    /// The error of a file whose content makes no sense, though SQLite finds nothing wrong with it.
    static func damaged(_ text: String) -> DatabaseError {
        DatabaseError(code: corrupt, text: text)
    }
}
