public import JSON
public import Topics

/// An event as one JSON object, the same in every form that carries envelopes.
///
/// `{"id","topic","time",…,"metadata","expires","data"|"data_base64","sender":{"uid","pid"}}`, where `…` is a member of
/// ``WireField`` for each field; absent members are left out. `data` is the JSON value
/// itself only if the stored Content-Type says JSON and the payload is a value that ``JSONReader``
/// reads; other UTF-8 is a string, anything else `data_base64`.
public enum EventEnvelope {
    /// Appends the envelope of an event to `output`.
    ///
    /// - Parameter showsSender: False if the envelope leaves the machine that has these users and
    ///   processes.
    public static func write(
        _ event: Event, to output: inout [UInt8], showsSender: Bool = true
    ) {
        // Behind other envelopes the array grows by itself: to reserve for each would copy it for
        // each. For a large payload room is reserved, since doubling would take more than it needs.
        if event.payload.count > WireLimits.grownBytesMax {
            output.reserveCapacity(output.count + bytesMax(of: event))
        } else if output.isEmpty {
            output.reserveCapacity(event.payload.count + 160)
        }
        // Moved there and back, so that it is never copied.
        var json = JSONWriter(appendingTo: exchange(&output, with: []))
        write(event, to: &json, showsSender)
        output = json.taken()
    }

    /// The most bytes that the envelope of an event takes, roughly.
    public static func bytesMax(of event: Event) -> Int {
        JSONText.bytesMax(of: event.payload.bytes) + WireLimits.envelopeBytes
            + event.metadata.attributes.envelopeBytesMax
    }

    private static func write(_ event: Event, to json: inout JSONWriter, _ showsSender: Bool) {
        json.beginObject()
        json.member("id", event.id)
        json.member("topic", event.topic.text)
        json.member("time", event.time.description)
        for field in MetadataField.all {
            guard let text = event.metadata[field] else { continue }
            json.member(WireField.row(field).member, text)
        }
        writeExtras(event.metadata, to: &json)
        writeData(of: event, to: &json)
        if showsSender { writeSender(event.sender, to: &json) }
        json.endObject()
    }

    private static func writeExtras(_ metadata: EventMetadata, to json: inout JSONWriter) {
        if !metadata.attributes.isEmpty {
            json.name(WireAttribute.member)
            json.attributes(metadata.attributes)
        }
        if let expires = metadata.expires { json.member("expires", expires.description) }
    }

    /// Writes the member that has the payload.
    public static func writeData(of event: Event, to json: inout JSONWriter) {
        let payload = event.payload.bytes
        guard UTF8Text.isValid(payload) else {
            json.name("data_base64")
            json.base64(payload)
            return
        }
        json.name("data")
        if event.saysJSON, json.value(ifJSON: payload) { return }
        json.string(validUTF8: payload)
    }

    private static func writeSender(_ sender: Sender, to json: inout JSONWriter) {
        guard sender.uid != nil || sender.pid != nil else { return }
        json.name("sender")
        json.object { json in
            if let uid = sender.uid { json.member("uid", Int(uid)) }
            if let pid = sender.pid { json.member("pid", Int(pid)) }
        }
    }
}

extension Event {
    /// Whether its content type says JSON.
    public var saysJSON: Bool { metadata.contentType.map { $0.saysJSON } ?? false }
}

extension String {
    /// Whether this content type is `application/json` or ends in `+json`, its parameters aside.
    var saysJSON: Bool {
        let media = mediaType
        return ASCII.isEqualIgnoringCase(media, "application/json")
            || ASCII.isEqualIgnoringCase(media.suffix(5), "+json")
    }
}
