internal import Access
internal import HTTPFront

extension Configuration.AccessControl {
    /// The policy that decides about access to a bus that this user runs.
    func policy(administrator: UInt32) -> AccessPolicy {
        AccessPolicy(
            rules: AccessRules(rules), tokens: tokens.table, administrator: administrator)
    }

    /// Warnings about settings that are allowed, and most likely not meant.
    var warnings: [String] {
        let unknown = AccessRules(rules).tokenNames.filter { !tokens.table.names.contains($0) }
        var warnings = unknown.map { name in
            "access.rule names token:\(name), which "
                + (tokens.source.map { "\($0) does not have" } ?? "is in no tokens file")
        }
        warnings += AccessRules(rules).warnings
        if let path = tokens.source, tokens.isReadableByAll {
            warnings.append(
                "\(path) can be read by all users, who can then try guesses: chmod o-r")
        }
        return warnings
    }
}

/// The users of this machine, as the HTTP front asks for their groups.
final class SystemGroups: PeerGroups {
    private let directory: GroupDirectory

    init(directory: GroupDirectory) {
        self.directory = directory
    }

    var areNeeded: Bool { directory.isNeeded }

    func groups(
        of uid: UInt32, then: @escaping @Sendable ([UInt32]?) -> Void
    ) -> PeerGroupsAnswer {
        switch directory.groups(of: uid, then: then) {
        case .known(let groups): .known(groups)
        case .later(let ticket): .later(ticket: ticket)
        }
    }

    func withdraw(_ ticket: UInt64, about uid: UInt32) {
        directory.withdraw(ticket, about: uid)
    }
}
