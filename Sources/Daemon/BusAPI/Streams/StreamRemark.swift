internal import Topics

/// What a stream says beside its events, as one JSON object: the form of it that lines and messages
/// share.
enum StreamRemark {
    /// `{"cursor":"…"}`.
    static func cursor(_ cursor: EventID) -> JSONWriter {
        object { json in
            json.name("cursor")
            json.quotedInteger(cursor.rawValue)
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
