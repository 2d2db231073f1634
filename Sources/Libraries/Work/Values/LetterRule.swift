package import Topics

/// What decides whether dead letters go where somebody sent them, at the moment when they would;
/// called on any thread, and must not block.
package typealias LetterRule = @Sendable (LetterQuestion) -> LetterVerdict

/// Dead letters that are about to go.
package struct LetterQuestion: Sendable {
    /// The topics that they come from.
    package let selector: Selector
    /// The topic that they go to.
    package let dead: TopicName
    /// Who chose that.
    package let chooser: StoredCaller
}

/// What a ``LetterRule`` says. The jobs stay open unless the letters may go.
package enum LetterVerdict: Sendable {
    /// They may go.
    case allowed
    /// They may not; the sentence says why, for workers of the group.
    case refused(String)
    /// It cannot be said at this moment, and soon can.
    case unsure(String)
}
