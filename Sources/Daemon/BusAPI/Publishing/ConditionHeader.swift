internal import HTTPFront
internal import Topics
internal import Wire

/// The condition of a publish, in its `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
enum ConditionHeader {
    /// The beginning of their names.
    static let prefix: StaticString = "if-"
    /// The headers of conditions that change something.
    private static let names = HeaderNames("if-match", "if-none-match", "if-unmodified-since")

    /// The condition of a publish; nil where it has none, as most.
    static func condition(_ headers: HeaderFields) throws(Refusal) -> PublishCondition? {
        guard headers.first(of: names) != nil else { return nil }
        guard !headers.has("if-unmodified-since") else {
            throw Refusal(
                .conditionInvalid,
                "If-Unmodified-Since is not looked at: send the ETag of HEAD /topics/{topic} in "
                    + "If-Match.")
        }
        let match = try headers.only("if-match")
        let noneMatch = try headers.only("if-none-match")
        switch (match, noneMatch) {
        case (let match?, nil): return try condition(of: match)
        case (nil, "*"?): return .isNew
        case (nil, let other?):
            throw Refusal(
                .conditionInvalid,
                "If-None-Match is '\(other)'; it takes * alone: the topic is not there.")
        case (_?, _?):
            throw Refusal(
                .conditionInvalid,
                "If-Match and If-None-Match are two conditions; send one of them.")
        case (nil, nil): return nil
        }
    }

    /// An entity tag, or the same without its quotes, which a shell may have taken.
    private static func condition(of match: String) throws(Refusal) -> PublishCondition {
        if match == "*" { return .exists }
        let isQuoted = match.count > 1 && match.hasPrefix("\"") && match.hasSuffix("\"")
        let tag = isQuoted ? match.dropFirst().dropLast() : match[...]
        guard let condition = TopicVersion.condition(ofTag: tag) else {
            throw Refusal(
                .conditionInvalid,
                "If-Match is '\(match)'; it takes one ETag of HEAD /topics/{topic}, as in \"123\", "
                    + "or *.")
        }
        return condition
    }

    /// Refuses conditions on requests that do not look at them.
    static func refuse(_ headers: HeaderFields) throws(Refusal) {
        guard let name = headers.first(of: names) else { return }
        throw Refusal(
            .conditionInvalid,
            "The header '\(name)' is for publishing alone: nothing here looks at it. Leave it out.")
    }
}
