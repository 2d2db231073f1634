internal import Digests
internal import JSON
internal import Topics
internal import Wire

/// The event that a client's text message publishes: `{"topic","data"|"data_base64",…,"ref"}`,
/// where `…` is a parameter of ``WireField`` for each field that has one.
///
/// `data` that is a string is the payload itself, of no Content-Type; any other value is published
/// as its JSON text, without white space between tokens, as `application/json`. `data_base64` is a
/// payload of any bytes. `ref`, a string or number, comes back with the answer as it was written.
struct ClientMessage {
    /// The topic to publish to; `nil` if the message names none.
    let topic: TopicName?
    let payload: Payload
    let metadata: EventMetadata

    /// Reads a message.
    ///
    /// - Parameter text: Bytes that are known to be valid UTF-8.
    /// - Complexity: O(bytes).
    init(_ text: UnsafeRawBufferPointer, ref: inout MessageRef?) throws(Refusal) {
        let members = try ClientMembers(text)
        ref = try members["ref"].map { token throws(Refusal) in try MessageRef(token) }
        if let stray = members.stray { throw stray }
        topic = try Self.string("topic", of: members).map { text throws(Refusal) in
            try TopicName(request: text)
        }
        let isJSON: Bool
        (payload, isJSON) = try Self.payload(of: members)
        var texts = MetadataTexts()
        for field in MetadataField.all {
            guard let name = WireField.row(field).parameter else { continue }
            texts[field] = try Self.string(name, of: members)
        }
        if isJSON { texts[.contentType] = "application/json" }
        let attributes = try Self.attributes(of: members)
        let plain = try EventMetadata(request: texts)
        metadata = attributes.isEmpty ? plain : plain.with(attributes, expires: nil)
    }

    private static func payload(
        of members: ClientMembers
    ) throws(Refusal) -> (Payload, isJSON: Bool) {
        switch (members["data"], members["data_base64"]) {
        case (let value?, nil):
            if isString(value) { return (Payload(JSONText.unescaped(value.inside)), false) }
            return (Payload(compact(value)), true)
        case (nil, _?):
            let text = try bytes("data_base64", of: members) ?? []
            guard let data = text.withUnsafeBytes({ Base64.decode($0) }) else {
                throw Refusal(
                    .parameterInvalid,
                    "'data_base64' is not base64 as RFC 4648 section 4 has it, padded, without "
                        + "line breaks.")
            }
            return (Payload(data), false)
        case (nil, nil):
            throw Refusal(
                .parameterInvalid,
                "'data' is missing: put the payload there, or in 'data_base64'.")
        case (_?, _?):
            throw Refusal(
                .parameterInvalid, "'data' and 'data_base64' are both given; give one of them.")
        }
    }

    /// A member that has to be a string; `nil` if it is not given.
    private static func string(
        _ name: String, of members: ClientMembers
    ) throws(Refusal) -> String? {
        try bytes(name, of: members).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func bytes(
        _ name: String, of members: ClientMembers
    ) throws(Refusal) -> [UInt8]? {
        guard let value = members[name] else { return nil }
        guard isString(value) else {
            throw Refusal(.parameterInvalid, "'\(name)' is not a string; it takes one.")
        }
        return JSONText.unescaped(value.inside)
    }

    private static func attributes(of members: ClientMembers) throws(Refusal) -> EventAttributes {
        guard let value = members["\(WireAttribute.member)"] else { return .none }
        var reader = JSONReader(value)
        guard let list = EventAttributes.list(&reader) else {
            throw Refusal(
                .eventAttributeInvalid,
                "'\(WireAttribute.member)' is no object of strings, each name once: write "
                    + #"{"NAME":"VALUE"}."#)
        }
        return try EventAttributes(request: list)
    }

    private static func isString(_ value: UnsafeRawBufferPointer) -> Bool {
        value.first == UInt8(ascii: "\"")
    }

    fileprivate static func compact(_ value: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        _ = JSONText.compact(value, into: &text)
        return text
    }
}

/// A client's name for one of its messages: a JSON string or number, given back as it was written.
struct MessageRef: Equatable {
    let json: [UInt8]

    init(_ value: UnsafeRawBufferPointer) throws(Refusal) {
        guard let first = value.first,
            first == UInt8(ascii: "\"") || first == UInt8(ascii: "-") || ASCII.isDigit(first)
        else {
            throw Refusal(.parameterInvalid, "'ref' is neither a string nor a number.")
        }
        json = ClientMessage.compact(value)
        guard json.count <= Limits.refBytesMax else {
            throw Refusal(
                .parameterInvalid,
                "'ref' has \(json.count) bytes; it has at most \(Limits.refBytesMax).")
        }
    }
}
