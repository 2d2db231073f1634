package import Access
package import Work

/// Whether dead letters may go where somebody sent them, by the rules of now.
package struct LetterJudge: Sendable {
    private let access: AccessPolicy
    private let users: UserGroups

    /// - Parameter users: Says which groups a user is in who is not connected.
    package init(_ access: AccessPolicy, _ users: @escaping UserGroups) {
        self.access = access
        self.users = users
    }

    /// Whether the letters may go; as ``LetterRule``.
    package func verdict(on question: LetterQuestion) -> LetterVerdict {
        let (uid, token) = (question.chooser.uid, question.chooser.token)
        func decide(groups: [UInt32]?) -> AccessDecision {
            access.bury(
                question.selector, in: question.dead,
                chosenBy: access.caller(uid: uid, groups: groups, tokenNamed: token))
        }
        var decision = decide(groups: nil)
        // Groups only ever add to what a caller may.
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
