package import Topics

/// The members of an event's envelope, as far as they were read.
///
/// Members that it does not know are passed over: a newer bus may say more.
struct EnvelopeParts {
    private var id: EventID?
    private var topic: UnsafeRawBufferPointer?
    private var time: Timestamp?
    private var texts = AttributeTexts()
    private var data: UnsafeRawBufferPointer?
    private var base64: UnsafeRawBufferPointer?
    private var sender = Sender.unknown
    private var labels: [String: String] = [:]
    private var expires: Timestamp?

    /// Reads one member; false where it is not what an envelope has there.
    mutating func read(_ name: UnsafeRawBufferPointer, _ reader: inout AnswerReader) -> Bool {
        if name.spells("id") {
            id = reader.string().flatMap { EventID(decimal: $0) }
            return id != nil
        }
        if name.spells("topic") {
            topic = reader.rawString()?.bytes
            return topic != nil
        }
        if name.spells("time") {
            time = reader.string().flatMap { Timestamp(rfc3339: $0) }
            return time != nil
        }
        if name.spells("data") {
            data = reader.value()
            return data != nil
        }
        if name.spells("data_base64") {
            base64 = reader.rawString()?.bytes
            return base64 != nil
        }
        if name.spells("sender") { return readSender(&reader) }
        if name.spells("attributes") { return readLabels(&reader) }
        if name.spells("expires") {
            expires = reader.string().flatMap { Timestamp(rfc3339: $0) }
            return expires != nil
        }
        for attribute in EventAttribute.allCases where name.spells(Self.member(attribute)) {
            texts[attribute] = reader.string()
            return texts[attribute] != nil
        }
        return reader.value() != nil
    }

    private static func member(_ attribute: EventAttribute) -> StaticString {
        switch attribute {
        case .type: "type"
        case .key: "key"
        case .contentType: "content_type"
        }
    }

    private mutating func readSender(_ reader: inout AnswerReader) -> Bool {
        var (uid, pid) = (UInt32?.none, Int32?.none)
        let isObject = reader.object { name, reader in
            if name.spells("uid") {
                uid = reader.number().flatMap { UInt32(exactly: $0) }
                return uid != nil
            }
            if name.spells("pid") {
                pid = reader.number().flatMap { Int32(exactly: $0) }
                return pid != nil
            }
            return reader.value() != nil
        }
        sender = Sender(uid: uid, pid: pid)
        return isObject
    }

    private mutating func readLabels(_ reader: inout AnswerReader) -> Bool {
        var read: [String: String] = [:]
        let isObject = reader.object { name, reader in
            let value = reader.string()
            read[String(decoding: name, as: UTF8.self)] = value
            return value != nil
        }
        labels = read
        return isObject
    }

    /// The attributes with all that belongs to them; nil where one of them is none.
    private var attributes: EventAttributes? {
        guard let plain = try? EventAttributes(texts) else { return nil }
        guard !labels.isEmpty || expires != nil else { return plain }
        return (try? EventLabels(labels)).map { plain.with($0, expires: expires) }
    }

    /// The event, if nothing of it is missing. Takes the name of the topic from `known` where it is
    /// equal, else leaves it there.
    func event(like known: inout TopicName?) -> Event? {
        guard let id, let topic, let time, let payload else { return nil }
        guard let name = Self.name(topic, like: known) else { return nil }
        known = name
        guard let attributes else { return nil }
        return Event(
            id: id, time: time, topic: name, payload: payload, attributes: attributes,
            sender: sender, isStored: false)
    }

    private static func name(_ bytes: UnsafeRawBufferPointer, like known: TopicName?) -> TopicName?
    {
        if let known {
            var text = known.text
            let isEqual = text.withUTF8 { $0.elementsEqual(bytes) }
            if isEqual { return known }
        }
        return try? TopicName(String(decoding: bytes, as: UTF8.self))
    }

    private var payload: Payload? {
        if let base64 { return Base64Bytes.decoded(base64).map { Payload($0) } }
        guard let data else { return nil }
        // A string is the text itself, unless the event says that it is JSON.
        guard data.first == UInt8(ascii: "\""), !isJSON else { return Payload(copying: data) }
        let inside = UnsafeRawBufferPointer(rebasing: data.dropFirst().dropLast())
        guard inside.contains(UInt8(ascii: "\\")) else { return Payload(copying: inside) }
        return JSONEscapes.undone(in: inside).map { Payload($0) }
    }

    private var isJSON: Bool { texts[.contentType].map { $0.saysJSON } ?? false }
}

extension String {
    /// Whether this content type says JSON, as the bus understands it.
    fileprivate var saysJSON: Bool {
        let media = prefix { $0 != ";" }.lowercased().split(separator: " ").first ?? ""
        return media == "application/json" || media.hasSuffix("+json")
    }
}

extension Event {
    /// Whether a subscription gave its payload as one text of JSON.
    package var isJSONText: Bool { attributes.contentType.map { $0.saysJSON } ?? false }
}
