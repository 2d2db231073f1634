/// How long the writer waits for more entries to commit with the first one, so that they share its
/// sync.
///
/// Publishers that were answered together come again one after the other. Without waiting, the
/// first of them gets a sync of its own, and all others wait for that and the next one. So on a
/// disk that takes milliseconds for a sync, the writer waits a part of that time for as many
/// entries as came lately. A single publisher is never held up.
struct GroupCommitDelay {
    /// Entries of the last two groups.
    private var last = 0
    private var before = 0
    /// The duration of a commit, on average of the last few.
    private var commitMicroseconds = 0

    /// How many entries are worth waiting for.
    var wanted: Int { max(last, before) }

    /// How long to wait for them; 0 is not at all.
    var milliseconds: Int32 {
        guard wanted > 1, commitMicroseconds >= Limits.gatheringCommitMicrosecondsMin else {
            return 0
        }
        let part = commitMicroseconds / Limits.gatheringDivisor / 1_000
        return Int32(min(max(part, 1), Limits.gatheringMillisecondsMax))
    }

    /// Notes how many entries a group has, even if they fail later.
    mutating func note(entries: Int) {
        before = last
        last = entries
    }

    /// Notes the duration of a commit.
    mutating func note(microseconds: Int) {
        commitMicroseconds += (microseconds - commitMicroseconds) / 4
    }
}
