public import Topics

/// The names of one field of an event on the wire. It is the single table behind the headers
/// and parameters of a publish, members of messages, envelopes, and headers of raw events. Pages of
/// other origins may send and read the headers of this table.
public final class WireField: Sendable {
    /// The header of a publish and of a raw event.
    public let header: StaticString
    /// The same in lower case, as the headers of requests are asked for.
    public let lowercaseHeader: StaticString
    /// The parameter of a publish that says the same, and the member of a message that publishes;
    /// nil where only the header says it.
    public let parameter: String?
    /// The member of an envelope.
    public let member: StaticString

    private init(
        header: StaticString, lowercaseHeader: StaticString, parameter: String?,
        member: StaticString
    ) {
        self.header = header
        self.lowercaseHeader = lowercaseHeader
        self.parameter = parameter
        self.member = member
    }

    /// The row of a field.
    public static func row(_ field: MetadataField) -> WireField {
        rows[Int(field.rawValue)]
    }

    /// The rows, in the order of the fields.
    private static let rows = MetadataField.allCases.map(make)

    private static func make(_ field: MetadataField) -> WireField {
        switch field {
        case .type:
            WireField(
                header: "Event-Type", lowercaseHeader: "event-type", parameter: "type",
                member: "type")
        case .key:
            WireField(
                header: "Event-Key", lowercaseHeader: "event-key", parameter: "key",
                member: "key")
        case .contentType:
            WireField(
                header: "Content-Type", lowercaseHeader: "content-type", parameter: nil,
                member: "content_type")
        }
    }

    /// Fields with a header of the bus's own; `Content-Type` is one of HTTP.
    public static let own = MetadataField.all.filter { $0 != .contentType }

    /// The headers of these fields.
    public static let ownHeaders = own.map { "\(row($0).header)" }

    /// The parameters of a publish, and members of a message, that say fields.
    public static let parameters = MetadataField.all.compactMap { row($0).parameter }
}
