internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The headers of a publish that say attributes. One that means something to its sender and nothing to
/// the bus is refused by its name: it would be lost without a word.
struct PublishHeaders {
    /// The attributes that have a header of their own, each name once.
    private var given: [EventAttributes.Attribute] = []
    /// The headers of a trace, which tracers send by themselves.
    private var parents: [String] = []
    private var states: [String] = []

    /// The meaning of a header to a publish, by its name.
    private enum Kind {
        case cloudEvent, own, parent, state

        static let cloudEventPrefix: StaticString = "ce-"
        static let ownPrefix: StaticString = "event-"
        static let parentName: StaticString = "traceparent"
        static let stateName: StaticString = "tracestate"

        init?(_ name: UnsafeRawBufferPointer) {
            guard let first = name.first else { return nil }
            switch first | 0x20 {
            case UInt8(ascii: "c") where ASCII.hasPrefixIgnoringCase(name, Self.cloudEventPrefix):
                self = .cloudEvent
            case UInt8(ascii: "e") where ASCII.hasPrefixIgnoringCase(name, Self.ownPrefix):
                self = .own
            case UInt8(ascii: "t") where ASCII.isEqualIgnoringCase(name, Self.parentName):
                self = .parent
            case UInt8(ascii: "t") where ASCII.isEqualIgnoringCase(name, Self.stateName):
                self = .state
            default: return nil
            }
        }
    }

    /// The beginnings of the names that mean something to a publish.
    private static let beginnings = HeaderNames(
        Kind.cloudEventPrefix, Kind.ownPrefix, Kind.parentName, Kind.stateName,
        ConditionHeader.prefix)
    /// The headers by which other servers are told that an event is for later.
    private static let later = HeaderNames("at", "in", "delay", "x-at", "x-in", "x-delay")
    /// The headers by which other servers are given the key of a publish.
    private static let keys = HeaderNames("idempotency_key", "x-idempotency-key", "nats-msg-id")

    /// Refuses an event that was meant for later: it would be there at once.
    static func refuseLater(_ headers: HeaderFields) throws(Refusal) {
        guard let name = headers.first(of: later) else { return }
        throw Refusal(
            .parameterUnknown,
            "The header '\(name)' does not delay an event: give the parameter instead, as in ?delay=30m "
                + "or ?at=2026-12-24T08:00:00Z. Nothing was published.")
    }

    /// The header that was meant to be the key of a publish; nil where there is none. Webhooks have such
    /// headers too, so the publish goes on.
    static func foreignKey(in headers: HeaderFields) -> StaticString? { headers.first(of: keys) }

    /// Whether a request may have headers of a publish, its condition among them.
    static func mayBe(in headers: HeaderFields) -> Bool { headers.mayBegin(like: beginnings) }

    /// Those of a request; nil where it has none, as most publishes.
    ///
    /// Refuses headers of features that this version does not offer, and headers that only look
    /// like those of a publish.
    static func found(in headers: HeaderFields) throws(Refusal) -> PublishHeaders? {
        guard mayBe(in: headers) else { return nil }
        var found = PublishHeaders()
        var (isFound, refusal) = (false, Refusal?.none)
        headers.forEach { name, value in
            guard refusal == nil, let kind = Kind(name) else { return }
            isFound = true
            switch kind {
            case .cloudEvent: refusal = Self.refusal(of: name)
            case .own: refusal = found.takeOwn(name, value)
            case .parent: found.parents.append(String(decoding: value, as: UTF8.self))
            case .state: found.states.append(String(decoding: value, as: UTF8.self))
            }
        }
        if let refusal { throw refusal }
        return isFound ? found : nil
    }

    /// Takes a header whose name begins like those of the bus.
    private mutating func takeOwn(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> Refusal? {
        let isField = WireField.own.contains {
            ASCII.isEqualIgnoringCase(name, WireField.row($0).lowercaseHeader)
        }
        if isField { return nil }
        guard ASCII.hasPrefixIgnoringCase(name, WireAttribute.lowercaseHeader) else {
            return Self.refusal(of: name)
        }
        let text = String(decoding: name, as: UTF8.self).lowercased()
        let prefix = WireAttribute.lowercaseHeader.utf8CodeUnitCount
        let attribute = String(decoding: text.utf8.dropFirst(prefix), as: UTF8.self)
        guard !given.contains(where: { $0.name == attribute }) else {
            return Refusal(
                .parameterRepeated,
                "The header '\(Self.shown(name))' is given twice; give it once.")
        }
        guard let decoded = WireAttribute.value(ofHeader: value) else {
            return Refusal(
                .eventAttributeInvalid,
                "The value of '\(Self.shown(name))' is not UTF-8 with percent-encoded bytes: a "
                    + "literal % is written %25.")
        }
        given.append(EventAttributes.Attribute(name: attribute, value: decoded))
        return nil
    }

    /// The attributes that headers and parameters name together.
    ///
    /// - Throws: `Refusal` for a name or a value that no attribute can have, for too many, and for one
    ///   that a header and a parameter give different values.
    func attributes(and parameters: [EventAttributes.Attribute]) throws(Refusal) -> EventAttributes
    {
        if given.isEmpty, parameters.isEmpty, parents.isEmpty { return .none }
        var all = given
        for parameter in parameters {
            guard let other = given.first(where: { $0.name == parameter.name }) else {
                all.append(parameter)
                continue
            }
            guard other.value == parameter.value else {
                throw Refusal(
                    .parameterRepeated,
                    "The attribute '\(parameter.name)' is '\(parameter.value)' in the query and "
                        + "'\(other.value)' in the header; give it once.")
            }
        }
        // Two parents are none.
        let trace = EventAttributes.trace(
            parent: parents.count == 1 ? parents[0] : nil,
            state: states.isEmpty ? nil : states.joined(separator: ","))
        return try EventAttributes(request: all).traced(by: trace)
    }

    /// The headers of answers in lower case, those of a publish among them.
    private static let known = Set(WireHeaders.exposedNames.map { $0.lowercased() })

    private static func shown(_ name: UnsafeRawBufferPointer) -> String {
        String(String(decoding: name, as: UTF8.self).prefix(Limits.shownNameCharacters))
    }

    private static func refusal(of name: UnsafeRawBufferPointer) -> Refusal {
        let shown = shown(name)
        let lowercase = String(decoding: name, as: UTF8.self).lowercased()
        if lowercase.hasPrefix("ce-") {
            return Refusal(
                .notSupported,
                "The header '\(shown)' belongs to a CloudEvent in binary mode, whose attributes the "
                    + "bus does not keep. Send it in structured mode: the whole CloudEvent as the "
                    + "body, with Content-Type: application/cloudevents+json.")
        }
        let ownList =
            WireField.ownHeaders.joined(separator: ", ") + " and \(WireAttribute.header)NAME"
        return Refusal(
            .parameterUnknown,
            known.contains(lowercase)
                ? "'\(shown)' is a header of answers: the bus itself gives every event its id, time "
                    + "and topic. A publish knows the headers \(ownList); leave the others out."
                : "'\(shown)' is no header of a publish; it knows \(ownList).")
    }
}
