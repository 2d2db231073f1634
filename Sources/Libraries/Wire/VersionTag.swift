public import Topics

/// The version of a topic as an entity tag has it, without its quotes: the id of the newest event, `0` for a topic that
/// has had none, and `none` for one that is not there.
extension TopicVersion {
    /// The tag of a topic that is not there.
    private static let none = "none"

    /// Its tag.
    public var tag: String { Self.tag(known) }

    /// The tag of a newest event; nil where there is no topic.
    public static func tag(_ newest: EventID?) -> String {
        newest.map { "\($0)" } ?? none
    }

    /// The condition that a topic still has the version of a tag; nil for text that is no tag.
    public static func condition(ofTag tag: some StringProtocol) -> PublishCondition? {
        if tag == none { return .isNew }
        return EventID(decimal: String(tag)).map { .newest($0) }
    }
}

extension PublishCondition {
    /// The tag of the versions for which it holds; `*` for all that are there.
    public var tag: String {
        switch self {
        case .newest(let id): TopicVersion.tag(id)
        case .exists: "*"
        case .isNew: TopicVersion.tag(nil)
        }
    }

    /// The value of `If-Match` that says it.
    public var ifMatch: String { self == .exists ? tag : "\"\(tag)\"" }
}
