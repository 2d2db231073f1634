internal import Digests
public import JSON
public import Topics

/// The members of an event's envelope, as far as they were read.
///
/// Members that it does not know are passed over, because a newer bus may write more of them.
public struct EnvelopeReader {
    private var id: EventID?
    private var topic: UnsafeRawBufferPointer?
    private var time: Timestamp?
    private var texts = MetadataTexts()
    private var data: UnsafeRawBufferPointer?
    private var base64: UnsafeRawBufferPointer?
    private var sender = Sender.unknown
    private var attributes: [EventAttributes.Attribute]?
    private var expires: Timestamp?

    /// Nothing so far.
    public init() {}

    /// Reads one member; false if its value has no place in an envelope.
    public mutating func read(_ name: UnsafeRawBufferPointer, _ reader: inout JSONReader) -> Bool {
        if name.spells("id") {
            id = reader.string().flatMap { EventID(decimal: $0) }
            return id != nil
        }
        if name.spells("topic") {
            topic = reader.stringToken()?.inside
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
            base64 = reader.stringToken()?.inside
            return base64 != nil
        }
        if name.spells("sender") { return readSender(&reader) }
        if name.spells(WireAttribute.member) {
            attributes = EventAttributes.list(&reader)
            return attributes != nil
        }
        if name.spells("expires") {
            expires = reader.string().flatMap { Timestamp(rfc3339: $0) }
            return expires != nil
        }
        for field in MetadataField.all where name.spells(WireField.row(field).member) {
            texts[field] = reader.string()
            return texts[field] != nil
        }
        return reader.value() != nil
    }

    private mutating func readSender(_ reader: inout JSONReader) -> Bool {
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

    /// The fields with attributes and expiry; nil if one of them is invalid.
    private var metadata: EventMetadata? {
        guard let plain = try? EventMetadata(texts) else { return nil }
        let attributes = attributes ?? []
        guard !attributes.isEmpty || expires != nil else { return plain }
        return (try? EventAttributes(kept: attributes)).map { plain.with($0, expires: expires) }
    }

    /// The event, if nothing of it is missing. Takes the name of the topic from `known` if it is
    /// equal, else puts it there.
    public func event(like known: inout TopicName?) -> Event? {
        guard let id, let topic, let time, let payload else { return nil }
        guard let name = Self.name(topic, like: known) else { return nil }
        known = name
        guard let metadata else { return nil }
        return Event(
            id: id, time: time, topic: name, payload: payload, metadata: metadata,
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
        if let base64 { return Base64.decode(base64).map { Payload($0) } }
        guard let data else { return nil }
        // A string is the text itself, unless the event says that it is JSON.
        guard data.first == UInt8(ascii: "\""), !isJSON else { return Payload(copying: data) }
        guard data.inside.contains(UInt8(ascii: "\\")) else { return Payload(copying: data.inside) }
        return Payload(JSONText.unescaped(data.inside))
    }

    private var isJSON: Bool { texts[.contentType].map { $0.saysJSON } ?? false }
}
