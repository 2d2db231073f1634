internal import Protection
internal import Topics

/// The rule by which dead letters go, which may be replaced at any time.
final class LetterPolicy: Sendable {
    private let rule: Protected<LetterRule?>

    /// - Parameter rule: Nil lets all of them go.
    init(by rule: LetterRule?) { self.rule = Protected(rule) }

    func use(_ rule: @escaping LetterRule) { self.rule.value = rule }

    func verdict(on question: LetterQuestion) -> LetterVerdict {
        // The rule is foreign code, so it is called outside of the lock.
        let rule = rule.value
        return rule?(question) ?? .allowed
    }
}
