internal import Topics

/// An event as one object of JSON, with the members that it has over HTTP.
enum EventJSON {
    /// The bytes of the object, on one line.
    static func text(of event: Event) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(event.payload.count + 160)
        add(
            "{\"id\":\"\(event.id)\",\"topic\":\"\(event.topic)\",\"time\":\"\(event.time)\"",
            &output)
        for (name, text) in [
            ("type", event.attributes.type), ("key", event.attributes.key),
            ("content_type", event.attributes.contentType),
        ] {
            guard let text else { continue }
            add(",\"\(name)\":", &output)
            addString(Array(text.utf8), &output)
        }
        addExtras(of: event, &output)
        addData(of: event, &output)
        add("}", &output)
        return output
    }

    private static func add(_ text: String, _ output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
    }

    private static func addExtras(of event: Event, _ output: inout [UInt8]) {
        let labels = event.attributes.labels.all
        if !labels.isEmpty {
            add(",\"attributes\":{", &output)
            for (index, label) in labels.enumerated() {
                add("\(index > 0 ? "," : "")\"\(label.name)\":", &output)
                addString(Array(label.value.utf8), &output)
            }
            add("}", &output)
        }
        if let expires = event.attributes.expires { add(",\"expires\":\"\(expires)\"", &output) }
    }

    private static func addData(of event: Event, _ output: inout [UInt8]) {
        guard isUTF8(event.payload.bytes) else {
            add(",\"data_base64\":\"", &output)
            addBase64(event.payload.bytes, &output)
            return add("\"", &output)
        }
        add(",\"data\":", &output)
        if event.isJSONText {
            output.append(contentsOf: event.payload.bytes)
        } else {
            addString(event.payload.bytes, &output)
        }
    }

    /// Whether bytes are a text, which `data` has, and not `data_base64`.
    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// A text as a string of JSON.
    static func string(_ text: String) -> String {
        var output: [UInt8] = []
        addString(Array(text.utf8), &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func addString(_ bytes: some Sequence<UInt8>, _ output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0x0A: add("\\n", &output)
            case 0x00..<0x20, 0x7F:
                let hex = String(byte, radix: 16)
                add("\\u00" + (hex.count < 2 ? "0" : "") + hex, &output)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func addBase64(_ bytes: UnsafeRawBufferPointer, _ output: inout [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - part.count))
            for place in 0..<4 {
                let isPadding = place > part.count
                output.append(
                    isPadding ? UInt8(ascii: "=") : digits[Int(bits >> UInt32(18 - 6 * place)) & 63]
                )
            }
        }
    }
}
