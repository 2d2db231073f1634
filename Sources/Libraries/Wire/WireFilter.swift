public import Topics

/// The name of one field of a filter, wherever a request, a list or a command names it.
///
/// It is the single table behind the parameters of requests for events, the members of
/// `/subscribers`, and the options of `belfry`.
public struct WireFilter: Sendable {
    /// The parameter of a request, and the member of a list. The option of the command is the same
    /// behind two dashes.
    public let name: String
    /// The effect of the option, in a few words.
    public let summary: String

    /// The row of a field.
    public static func row(_ field: FilterField) -> WireFilter {
        switch field {
        case .type: WireFilter(name: "type", summary: "only events of this type")
        case .key: WireFilter(name: "key", summary: "only events of this key")
        }
    }

    /// The parameters of a request for events that filter.
    public static let names = FilterField.all.map { row($0).name }
}
