internal import Topics

/// All rules about one selector and one verb together; an object, so that handing it out costs one
/// reference.
final class Grant: Sendable {
    let selector: TopicPattern
    /// The segments of the selector, between its dots.
    let segments: [Substring]
    let rules: [AccessRule]
    private let uids: Set<UInt32>
    private let gids: Set<UInt32>
    private let tokens: Set<String>
    let isForAnyone: Bool

    init(_ selector: TopicPattern, _ rules: [AccessRule]) {
        self.selector = selector
        segments = selector.segments
        self.rules = rules
        var (uids, gids, tokens, isForAnyone) = (Set<UInt32>(), Set<UInt32>(), Set<String>(), false)
        for subject in rules.flatMap(\.subjects) {
            switch subject {
            case .uid(let uid), .user(_, let uid): uids.insert(uid)
            case .gid(let gid), .group(_, let gid): gids.insert(gid)
            case .token(let name): tokens.insert(name)
            case .anyone: isForAnyone = true
            }
        }
        (self.uids, self.gids, self.tokens) = (uids, gids, tokens)
        self.isForAnyone = isForAnyone
    }

    /// Whether a caller is among those that it names.
    ///
    /// - Complexity: O(groups of the caller).
    func admits(_ caller: Caller) -> Bool {
        if isForAnyone { return true }
        if let uid = caller.uid, uids.contains(uid) { return true }
        if let token = caller.token, tokens.contains(token.name) { return true }
        guard !gids.isEmpty, let groups = caller.groups else { return false }
        return groups.contains { gids.contains($0) }
    }

    /// Whether a token would have opened it.
    var namesTokens: Bool { !tokens.isEmpty }

    /// The first rule that is about a caller.
    func rule(for caller: Caller) -> AccessRule? {
        rules.first { $0.subjects.contains { $0.isAbout(caller) } }
    }
}
