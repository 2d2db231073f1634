package import Access
package import Work

/// Judges by the current rules whether dead letters may go to the topic that a caller chose for
/// them.
package struct LetterJudge: Sendable {
    private let access: AccessPolicy
    private let users: UserGroups

    /// - Parameter users: Looks up the groups of a user that is not connected.
    package init(_ access: AccessPolicy, _ users: @escaping UserGroups) {
        self.access = access
        self.users = users
    }

    /// Whether the letters may go; the verdict of a ``LetterRule``.
    package func verdict(on question: LetterQuestion) -> LetterVerdict {
        let (uid, token) = (question.chooser.uid, question.chooser.token)
        func decide(groups: [UInt32]?) -> AccessDecision {
            access.bury(
                question.selector, in: question.dead,
                chosenBy: access.caller(uid: uid, groups: groups, tokenNamed: token))
        }
        var decision = decide(groups: nil)
        // Groups only ever add to a caller's rights.
        if !decision.isAllowed, access.rules.needGroups, let uid {
            guard let groups = users(uid) else {
                return .unsure(
                    "the groups of user \(uid), who chose the dead topic, are not known yet: try "
                        + "again in a second")
            }
            decision = decide(groups: groups)
        }
        guard !decision.isAllowed else { return .allowed }
        let what =
            decision.verb == .publish ? "publish to it" : "receive from all topics of the group"
        return .refused(
            "the rules do not let \(decision.caller), who chose the dead topic, \(what): have "
                + "'dead' set by a caller that may")
    }
}

/// The groups of a user; nil where they are not known at this moment.
public typealias UserGroups = @Sendable (_ uid: UInt32) -> [UInt32]?
