import HTTPFront
import Topics
import Wire

@testable import BusAPI

extension ParserCheck {
    /// The key, the condition and an attribute of a publish, each a line, mean the same when they are written again.
    static let publishHeaders = ParserCheck("publish-headers", bytesMax: 600) { input in
        let lines = input.parts(3).map(\.text)
        try checkKey(lines[0])
        if lines.count > 1 { try checkCondition(lines[1]) }
        if lines.count > 2 { try checkAttribute(lines[2]) }
    }

    private static func checkKey(_ text: String) throws {
        guard let key = (try? KeyHeader(headers("idempotency-key", text)))??.said else { return }
        try hold((1...255).contains(text.utf8.count), "a key of \(text.utf8.count) bytes")
        try agree(try PublishKey(key.description), key, "key, and written as '\(key)'")
    }

    private static func checkCondition(_ text: String) throws {
        if let condition = try? ConditionHeader.condition(headers("if-match", text)) {
            let again = try ConditionHeader.condition(headers("if-match", condition.ifMatch))
            try agree(again, condition, "condition, and written as '\(condition.ifMatch)'")
        }
        // Blanks at the ends of a value are not part of it.
        let fields = headers("if-none-match", text)
        let isStar = try fields.only("if-none-match") == "*"
        let found = (try? ConditionHeader.condition(fields))?.tag
        try agree(found, isStar ? PublishCondition.isNew.tag : nil, "If-None-Match")
    }

    private static func checkAttribute(_ text: String) throws {
        guard let found = try? PublishHeaders.found(in: headers("event-attribute-a", text)),
            let attributes = try? found.attributes(and: []), !attributes.isEmpty
        else { return }
        let value = attributes.all[0].value
        let again = try PublishHeaders.found(
            in: headers("event-attribute-a", WireAttribute.headerText(of: value)))
        try agree(try again?.attributes(and: []), attributes, "attribute, written again")
        try agree(
            try EventAttributes(text: attributes.text), attributes, "attribute, as it is stored")
    }

    private static func headers(_ name: String, _ value: String) -> HeaderFields {
        var headers = HeaderFields()
        headers.append(name, value)
        return headers
    }
}
