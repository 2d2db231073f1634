public import Topics

/// One line of the rules: the subjects that a topic or pattern is open to, and the verbs.
///
/// `deploys.> publish user:ci token:deployer`
public struct AccessRule: Hashable, Sendable, CustomStringConvertible {
    /// The topic or pattern that it is about.
    public let selector: TopicPattern
    /// The verbs that it allows, each once.
    public let verbs: [AccessVerb]
    /// The subjects that it allows them to, each once.
    public let subjects: [AccessSubject]

    /// Reads `SELECTOR VERB[,VERB…] SUBJECT…`, separated by blanks.
    ///
    /// - Throws: An error with the problem, such as a user or group that does not exist.
    public init(_ text: String, users: any UserDatabase) throws(AccessError) {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard words.count >= 3 else {
            throw AccessError(
                "`\(text)` is no rule: write SELECTOR VERB SUBJECT…, as in "
                    + "`deploys.> publish user:ci token:deployer`")
        }
        guard words.count - 2 <= AccessLimits.subjectsMax else {
            throw AccessError(
                "a rule has at most \(AccessLimits.subjectsMax) subjects: write another one")
        }
        do throws(NameError) {
            selector = try TopicPattern(words[0])
        } catch {
            throw AccessError("`\(words[0])` is no topic or pattern: \(error.detail)")
        }
        var verbs: [AccessVerb] = []
        for word in words[1].split(separator: ",", omittingEmptySubsequences: false) {
            guard let verb = AccessVerb(rawValue: String(word)) else {
                throw AccessError(
                    "`\(word)` is no verb: write publish, subscribe, work or administer, or "
                        + "several with commas and no blanks between them")
            }
            if !verbs.contains(verb) { verbs.append(verb) }
        }
        self.verbs = verbs
        var subjects: [AccessSubject] = []
        for word in words[2...] {
            let subject = try AccessSubject(word, users: users)
            if !subjects.contains(subject) { subjects.append(subject) }
        }
        self.subjects = subjects
    }

    /// The rule as one would write it.
    public var description: String {
        let verbs = verbs.map(\.rawValue).joined(separator: ",")
        return "\(selector) \(verbs) \(subjects.map(\.description).joined(separator: " "))"
    }
}
