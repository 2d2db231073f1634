internal import HTTPFront
internal import Topics
internal import Wire

/// The query of one request, read by type.
///
/// Made from the names that the request's route knows: an unknown or repeated one is refused
/// before any is read, so that a misspelt parameter never goes unnoticed.
struct Parameters {
    private let items: QueryItems
    /// The name of each item, in the form that routes know.
    let names: [String]

    init(_ items: QueryItems, known: [String]) throws(Refusal) {
        var names: [String] = []
        names.reserveCapacity(items.count)
        for item in items {
            let name = Self.name(of: item)
            guard Self.isKnown(name, among: known) else {
                let list =
                    known.isEmpty ? "it takes none" : "it knows " + known.joined(separator: ", ")
                let header =
                    WireHeaders.accepted(like: item.name).map { " \($0) is a header." } ?? ""
                throw Refusal(
                    .parameterUnknown,
                    "'\(item.name)' is no parameter of this request; \(list).\(header)")
            }
            guard !names.contains(name) else {
                throw Refusal(
                    .parameterRepeated, "'\(item.name)' is given twice; give it once.")
            }
            names.append(name)
        }
        self.items = items
        self.names = names
    }

    private static func isKnown(_ name: String, among known: [String]) -> Bool {
        known.contains(name)
            || name.utf8.starts(with: WireAttribute.parameterPrefix.utf8)
                && known.contains(WireAttribute.parameter)
    }

    /// The attributes that events are chosen by: those that the bus gives are among them.
    func filteredAttributes() throws(Refusal) -> EventAttributes {
        do throws(AttributeError) {
            return try EventAttributes(kept: attributes)
        } catch {
            throw Refusal(.eventAttributeInvalid, error.detail)
        }
    }

    /// The attributes that the parameters name, each name once.
    var attributes: [EventAttributes.Attribute] {
        // Most requests have no parameters.
        if names.isEmpty { return [] }
        return zip(names, items).compactMap { name, item in
            guard name.utf8.starts(with: WireAttribute.parameterPrefix.utf8) else { return nil }
            let prefix = WireAttribute.parameterPrefix.utf8.count
            return EventAttributes.Attribute(
                name: String(decoding: name.utf8.dropFirst(prefix), as: UTF8.self),
                value: item.value)
        }
    }

    /// The name of an item. Clients write `lastEventId` in several ways, which are one parameter.
    static func name(of item: QueryItems.Item) -> String {
        switch item.name {
        case "lastEventID", "last_event_id", "Last-Event-ID", "last-event-id": "lastEventId"
        default: item.name
        }
    }

    /// Whether the request has no parameters.
    var isEmpty: Bool { names.isEmpty }

    /// The parameter as it was given, decoded; `nil` without it.
    func text(_ name: String) -> String? { item(name)?.value }

    private func item(_ name: String) -> QueryItems.Item? {
        names.firstIndex(of: name).map { items[$0] }
    }

    /// A notation of numbers, with its reader and writer.
    struct Notation: Sendable {
        let read: @Sendable (String) -> Int64?
        let write: @Sendable (Int64) -> String

        /// A duration, in microseconds.
        static let duration = Notation(
            read: { Quantity.microseconds($0) }, write: { Quantity.text(microseconds: $0) })
        /// A size, in bytes.
        static let size = Notation(
            read: { Quantity.bytes($0) }, write: { Quantity.text(bytes: $0) })
        /// A count.
        static let count = Notation(read: { Quantity.count($0) }, write: { String($0) })
    }

    /// A bound that may be lifted.
    enum Bound: Equatable {
        case none
        case of(Int64)

        /// The number; nil for none.
        var value: Int64? {
            switch self {
            case .none: nil
            case .of(let value): value
            }
        }
    }

    /// A duration in microseconds, within `range`.
    ///
    /// - Parameter key: The key of the configuration that sets the range; nil if none does.
    func duration(
        _ name: String, in range: ClosedRange<Int64>, setBy key: String? = nil
    ) throws(Refusal) -> Int64? {
        try number(
            name, .duration, in: range,
            orElse: key.map { " (\($0) in belfryd.conf)" } ?? "")
    }

    /// A count within `range`.
    func count(_ name: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        try number(name, .count, in: range)
    }

    /// A number within `range`, or the word `none` for no bound, as the configuration has it.
    func bound(
        _ name: String, _ notation: Notation, in range: ClosedRange<Int64>
    ) throws(Refusal) -> Bound? {
        if text(name) == "none" { return Bound.none }
        return try number(name, notation, in: range, orElse: ", or none").map(Bound.of)
    }

    /// `yes` or `no`.
    func truth(_ name: String) throws(Refusal) -> Bool? {
        try choice(name, ["yes": true, "no": false])
    }

    /// One of the words given, or a refusal that lists them.
    func choice<Value>(
        _ name: String, _ words: @autoclosure () -> KeyValuePairs<String, Value>
    ) throws(Refusal) -> Value? {
        guard let text = text(name) else { return nil }
        let words = words()
        if let word = words.first(where: { $0.key == text }) { return word.value }
        throw Refusal(
            .parameterInvalid,
            "'\(name)' is '\(text)'; it can be \(words.map(\.key).joined(separator: " or ")).")
    }

    private func number(
        _ name: String, _ notation: Notation, in range: ClosedRange<Int64>,
        orElse alternative: @autoclosure () -> String = ""
    ) throws(Refusal) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let value = notation.read(text), range.contains(value) else {
            throw Refusal(
                .parameterInvalid,
                "'\(name)' is '\(text)'; it goes from \(notation.write(range.lowerBound)) to "
                    + "\(notation.write(range.upperBound))\(alternative()).")
        }
        return value
    }
}

extension HeaderFields {
    /// The value of a header that stands for a parameter as well. Like a parameter it is given
    /// once; `nil` without it.
    func only(_ name: StaticString) throws(Refusal) -> String? {
        // Most of these headers are absent.
        guard let value = first(name) else { return nil }
        try refuseIfRepeated(name)
        return value
    }

    /// Refuses a request that has a header several times: each reader could take another value.
    func refuseIfRepeated(_ name: StaticString) throws(Refusal) {
        guard occurrences(of: name) <= 1 else {
            throw Refusal(
                .parameterRepeated, "The header '\(name)' is given twice; give it once.")
        }
    }
}
