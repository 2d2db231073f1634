package import Topics

/// A rule that decides whether dead letters may go to the topic that a caller chose, at the moment
/// when they would. It is called on any thread, and must not block.
package typealias LetterRule = @Sendable (LetterQuestion) -> LetterVerdict

/// Dead letters that are about to go.
package struct LetterQuestion: Sendable {
    /// The topics that they come from.
    package let selector: Selector
    /// The topic that they go to.
    package let dead: TopicName
    /// The caller that chose that topic.
    package let chooser: StoredCaller
}

/// The verdict of a ``LetterRule``. The jobs stay open unless the letters may go.
package enum LetterVerdict: Sendable {
    /// They may go.
    case allowed
    /// They may not; the sentence says why, for workers of the group.
    case refused(String)
    /// It cannot be said at this moment, and soon can.
    case unsure(String)
}
