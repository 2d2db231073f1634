/// Named strings that go with an event beside its ``EventMetadata``: properties that its publisher
/// gave it, and the notes of the bus on its dead letters.
///
/// The publisher gives up to 16, of at most 4 KiB together. Those of a dead letter and of a trace
/// stand beside them. A name has 1 to 20 of `a-z 0-9`. A value has 1 to 255 bytes of UTF-8 without
/// control characters; a `tracestate` has up to 512.
///
/// Source: CloudEvents 1.0.2, "Naming Conventions" and "Type System"; W3C Trace Context, sections
/// 3.2 and 3.3.
public struct EventAttributes: Hashable, Sendable {
    /// One name and its value.
    public struct Attribute: Hashable, Sendable {
        /// The name of the attribute.
        public let name: String
        /// The value.
        public let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All of them, by their names.
    public fileprivate(set) var all: [Attribute]

    /// No attribute.
    public static let none = EventAttributes()

    private init() {
        all = []
    }

    /// The attributes of a publisher.
    ///
    /// - Throws: `AttributeError`, whose sentence names the fault and the attribute that has it. A
    ///   name that begins with `dead` or `origin` is refused: the bus itself gives these.
    public init(_ values: [String: String]) throws(AttributeError) {
        try self.init(given: values.map { Attribute(name: $0.key, value: $0.value) })
    }

    /// The same, of a list with each name once.
    package init(given list: [Attribute]) throws(AttributeError) {
        for attribute in list { try AttributeError.checkReserved(attribute.name) }
        try self.init(kept: list)
    }

    /// The attributes of an event that exists, those of the bus among them.
    ///
    /// - Parameter list: Each name once.
    /// - Throws: `AttributeError`, as ``init(_:)``.
    package init(kept list: [Attribute]) throws(AttributeError) {
        all = list.sorted { $0.name < $1.name }
        for attribute in all { try AttributeError.check(attribute) }
        try checkCount()
    }

    private func checkCount() throws(AttributeError) {
        let own = all.filter { !Self.isBeside($0.name) }
        let bytes = Self.textBytes(own)
        guard own.count <= Limits.attributesMax, bytes <= Limits.attributesBytesMax else {
            throw AttributeError(
                detail:
                    "\(own.count) attributes of \(bytes) bytes are too many: an event has at most "
                    + "\(Limits.attributesMax) of \(Limits.attributesBytesMax) bytes together")
        }
    }

    /// Whether an attribute counts for nothing: the bus or a tracer gives it.
    private static func isBeside(_ name: String) -> Bool {
        DeathAttribute(rawValue: name) != nil || TraceAttribute(rawValue: name) != nil
    }

    /// Whether there is none.
    public var isEmpty: Bool { all.isEmpty }

    /// The value of a name; nil where it is absent.
    public subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    /// Whether it has each of `others` with the same value.
    package func has(_ others: EventAttributes) -> Bool {
        others.all.allSatisfy { self[$0.name] == $0.value }
    }

    /// The same without a trace.
    package var untraced: EventAttributes {
        var others = self
        others.all.removeAll { TraceAttribute(rawValue: $0.name) != nil }
        return others
    }

    /// Whether it has nothing but a trace.
    package var isTraceAlone: Bool { all.allSatisfy { TraceAttribute(rawValue: $0.name) != nil } }

    /// The same, and a trace where they have none.
    package func traced(by trace: EventAttributes) -> EventAttributes {
        if trace.isEmpty || self[TraceAttribute.parent.rawValue] != nil { return self }
        let others = trace.all.filter { TraceAttribute(rawValue: $0.name) != nil }
        var traced = self
        traced.all.removeAll { TraceAttribute(rawValue: $0.name) != nil }
        traced.all = (traced.all + others).sorted { $0.name < $1.name }
        return traced
    }

    /// The trace of these texts; none of a parent that no tracer understands.
    package static func trace(parent: String?, state: String?) -> EventAttributes {
        guard let parent = parent.flatMap({ TraceAttribute.parent.value(of: $0) }) else {
            return .none
        }
        let state = state.flatMap { TraceAttribute.state.value(of: $0) }
        var trace = EventAttributes()
        trace.all = [Attribute(name: TraceAttribute.parent.rawValue, value: parent)]
        if let state {
            trace.all.append(Attribute(name: TraceAttribute.state.rawValue, value: state))
        }
        return trace
    }

    /// Those that a publisher may give: all but those that the bus itself gives.
    package var ofPublisher: EventAttributes {
        var others = self
        others.all.removeAll { AttributeError.isReserved($0.name) }
        return others
    }

    /// The beginnings of the names that the bus gives: to dead letters, and to copies.
    package static let prefixesOfBus = ["dead", "origin"]

    /// Whether the bus gave one of them: to a dead letter, or to a copy.
    package var hasOfBus: Bool { all.contains { AttributeError.isReserved($0.name) } }

    /// The attributes of this event as a dead letter; those of an earlier death are removed.
    ///
    /// - Throws: `AttributeError` for a value that no attribute can have.
    package func dying(_ death: [DeathAttribute: String]) throws(AttributeError) -> EventAttributes
    {
        let others = all.filter { DeathAttribute(rawValue: $0.name) == nil }
        return try EventAttributes(
            kept: others + death.map { Attribute(name: $0.key.rawValue, value: $0.value) })
    }

    /// The attributes of this letter as the event that it was.
    package var revived: EventAttributes {
        var others = self
        others.all.removeAll { DeathAttribute(rawValue: $0.name) != nil }
        return others
    }

    /// The bytes of all names and values.
    package var textBytes: Int { Self.textBytes(all) }

    private static func textBytes(_ list: [Attribute]) -> Int {
        list.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// The memory that the attributes take, in bytes.
    package var memoryBytes: Int {
        all.reduce(all.isEmpty ? 0 : Overhead.attributeListBytes) {
            $0 + MemoryLayout<Attribute>.stride + Overhead.ofText($1.name)
                + Overhead.ofText($1.value)
        }
    }

    /// A text as the value of an attribute: blanks replace control characters, and the part beyond 255
    /// bytes is left out. An empty text stays empty, and is then no valid value.
    package static func value(of text: String) -> String {
        var value = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            let shown: Unicode.Scalar = isControl ? " " : scalar
            guard value.utf8.count + UTF8.width(shown) <= Limits.attributeBytesMax else { break }
            value.unicodeScalars.append(shown)
        }
        return value
    }

    // MARK: As one text

    /// The attributes as a store keeps them: a line `name=value` for each.
    package var text: String {
        all.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    }

    /// Whether each of them is in a ``text``, with the same value.
    package func areIn(_ text: String) -> Bool {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
        return all.allSatisfy { attribute in
            let line = "\(attribute.name)=\(attribute.value)"
            return lines.contains { $0.elementsEqual(line.utf8) }
        }
    }

    /// Whether the bus gave one of those in a ``text``.
    static func hasOfBus(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "\n")).contains { AttributeError.isReserved($0) }
    }

    /// The attributes of a ``text``.
    ///
    /// - Throws: `AttributeError` if `text` has no valid attributes.
    package init(text: String) throws(AttributeError) {
        var list: [Attribute] = []
        // Bytes, not characters: a value may begin with a mark that joins the sign before it.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let name = line.prefix { $0 != UInt8(ascii: "=") }
            list.append(
                Attribute(
                    name: String(decoding: name, as: UTF8.self),
                    value: String(decoding: line.dropFirst(name.count + 1), as: UTF8.self)))
        }
        try self.init(kept: list)
        guard zip(all, all.dropFirst()).allSatisfy({ $0.name != $1.name }) else {
            throw AttributeError(detail: "the text of attributes has a name twice")
        }
    }
}

/// The attributes of a trace that goes through the bus. They stand beside those that a publisher may
/// give.
///
/// Source: W3C Trace Context, sections 3.2 and 3.3.
package enum TraceAttribute: String, CaseIterable, Sendable {
    /// The place in the trace: version, trace, parent and flags.
    case parent = "traceparent"
    /// The state that vendors keep of the trace.
    case state = "tracestate"

    /// The value that it has with this text; nil for a malformed one, which no tracer understands.
    package func value(of text: String) -> String? {
        switch self {
        case .parent: Self.isParent(Array(text.utf8)) ? text : nil
        case .state:
            (1...Limits.traceStateBytesMax).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
    }

    /// Whether a text is `00-TRACE-PARENT-FLAGS` in small hexadecimal digits. A later version may
    /// have more behind it.
    private static func isParent(_ text: [UInt8]) -> Bool {
        let dash = UInt8(ascii: "-")
        guard text.count >= 55, text.count <= Limits.attributeBytesMax,
            text[2] == dash, text[35] == dash, text[52] == dash,
            text.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        func isHex(_ range: Range<Int>) -> Bool {
            text[range].allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
        }
        func isZero(_ range: Range<Int>) -> Bool {
            text[range].allSatisfy { $0 == UInt8(ascii: "0") }
        }
        let version = String(decoding: text[0..<2], as: UTF8.self)
        return isHex(0..<2) && isHex(3..<35) && isHex(36..<52) && isHex(53..<55)
            && version != "ff" && !isZero(3..<35) && !isZero(36..<52)
            && (text.count == 55 || version != "00" && text[55] == dash)
    }
}

/// The attributes that the bus gives a dead letter, beside those of its event.
package enum DeathAttribute: String, CaseIterable, Sendable {
    /// The group whose job it was.
    case group = "deadgroup"
    /// The topic that it was published to.
    case topic = "deadtopic"
    /// The id that it had there.
    case id = "deadid"
    /// How often it was handed out.
    case attempts = "deadattempts"
    /// Why it became a dead letter.
    case reason = "deadreason"
    /// How often it became a dead letter, over all groups, since it was published or revived.
    case hops = "deadhops"
}

/// Why attributes of an event were refused.
public struct AttributeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that names the fault and the correct form.
    public let detail: String

    /// The same sentence.
    public var description: String { detail }

    init(detail: String) {
        self.detail = detail
    }

    /// Whether the bus itself gives attributes of this name, and nobody else.
    static func isReserved(_ name: String) -> Bool { isReserved(name.utf8) }

    /// The same of a text that begins with the name.
    fileprivate static func isReserved(_ text: some Sequence<UInt8>) -> Bool {
        EventAttributes.prefixesOfBus.contains { text.starts(with: $0.utf8) }
    }

    /// Refuses a name that a publisher may not give.
    fileprivate static func checkReserved(_ name: String) throws(AttributeError) {
        guard isReserved(name) else { return }
        throw AttributeError(
            detail: "the attribute '\(name.prefix(Limits.attributeNameBytesMax))' is one of the "
                + "bus's own: use a name that begins with neither dead nor origin")
    }

    /// Refuses a name or a value that no attribute can have.
    fileprivate static func check(_ attribute: EventAttributes.Attribute) throws(AttributeError) {
        let (name, value) = (attribute.name.utf8, attribute.value.utf8)
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...Limits.attributeNameBytesMax).contains(name.count),
            name.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else {
            throw AttributeError(
                detail:
                    "'\(attribute.name.prefix(Limits.attributeNameBytesMax))' is no name of an attribute: "
                    + "use 1 to \(Limits.attributeNameBytesMax) of a-z and 0-9")
        }
        let bytesMax =
            attribute.name == TraceAttribute.state.rawValue
            ? Limits.traceStateBytesMax : Limits.attributeBytesMax
        guard (1...bytesMax).contains(value.count),
            !value.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw AttributeError(
                detail: "the attribute \(attribute.name) has \(value.count) bytes: use 1 to "
                    + "\(bytesMax), without control characters")
        }
    }
}
