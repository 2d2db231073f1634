internal import JSON
internal import Topics

/// A message of a stream beside its events, as one JSON object: NDJSON and WebSockets send the same.
enum StreamControlMessage {
    /// `{"cursor":"…"}`.
    static func cursor(_ cursor: EventID) -> JSONWriter {
        object { json in
            json.member("cursor", cursor)
        }
    }

    /// `{"gap":{"after":"…","through":"…"}}`.
    static func gap(_ gap: Gap) -> JSONWriter {
        object { json in
            json.name("gap")
            gap.write(to: &json)
        }
    }

    private static func object(_ member: (inout JSONWriter) -> Void) -> JSONWriter {
        var json = JSONWriter(reserving: 64)
        json.beginObject()
        member(&json)
        json.endObject()
        return json
    }
}
