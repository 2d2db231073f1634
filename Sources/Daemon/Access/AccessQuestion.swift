internal import Topics

/// Whether somebody may do something, as a person asks it: `CALLER VERB TOPIC`.
///
/// The caller is written like the subjects of a rule, several of them with commas: `uid:1000`,
/// `user:ci,token:deployer`, `uid:1000,gid:27`, or `anyone` for an unknown caller.
public struct AccessQuestion: Sendable {
    private let verb: AccessVerb
    private let topic: TopicName
    private let uid: UInt32?
    private let groups: [UInt32]
    private let token: Token?

    /// Reads a question; the groups of a user are looked up.
    ///
    /// - Throws: An error that names the word that is no caller, verb or topic.
    public init(_ text: String, users: any UserDatabase) throws(AccessError) {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard words.count == 3 else {
            throw AccessError(
                "`\(text)` is no question: write CALLER VERB TOPIC, as in "
                    + "`uid:1000 publish deploys.web`")
        }
        guard let verb = AccessVerb(rawValue: String(words[1])) else {
            throw AccessError(
                "`\(words[1])` is no verb: write publish, subscribe, work or administer")
        }
        self.verb = verb
        do throws(NameError) {
            topic = try TopicName(words[2])
        } catch {
            throw AccessError("`\(words[2])` is no topic: \(error.detail)")
        }
        var (uid, groups, token) = (UInt32?.none, [UInt32](), Token?.none)
        for word in words[0].split(separator: ",", omittingEmptySubsequences: false) {
            switch try AccessSubject(word, users: users) {
            case .uid(let number), .user(_, let number):
                uid = number
                groups += users.groups(of: number)
            case .gid(let number), .group(_, let number): groups.append(number)
            case .token(let name): token = Token(name: name, digest: [])
            case .anyone: break
            }
        }
        (self.uid, self.groups, self.token) = (uid, groups, token)
    }

    /// The answer, with the rule that decides.
    ///
    /// A topic is taken as one that somebody else made. Its maker may administer it too.
    public func answer(of policy: AccessPolicy) -> AccessDecision {
        let caller = Caller(uid: uid, groups: groups, token: token)
        return switch verb {
        case .publish: policy.publish(topic, caller)
        case .subscribe: policy.subscribe(topic, caller)
        case .work: policy.work(Selector(topic), caller)
        case .administer: policy.administer(topic, madeBy: nil, caller)
        }
    }
}
