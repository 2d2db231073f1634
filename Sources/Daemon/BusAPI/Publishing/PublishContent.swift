internal import HTTPFront
internal import JSON
internal import Wire

/// The kind of body that the head of a publish announces.
enum PublishContent: Equatable {
    /// A form: `curl -d` gives every body this type.
    case form
    /// Parts with boundaries, as `curl -F` sends them; with the type as it was sent.
    case multipart(String)
    /// No body: neither length nor chunks. The type may be given all the same.
    case absent(String?)
    /// Any other body, of this type.
    case other(String?)

    /// - Throws: 400 `PARAMETER_REPEATED` for two types, and `NOT_SUPPORTED` for a batch of CloudEvents.
    init(_ head: RequestHead, _ length: RequestHead.BodyLength) throws(Refusal) {
        try head.headers.refuseIfRepeated("content-type")
        let absent: PublishContent = length == .none ? .absent(nil) : .other(nil)
        let content: PublishContent? =
            head.headers.withFirst("content-type") { type in
                if Self.is(type, "application/x-www-form-urlencoded") { return .form }
                if Self.is(type, "application/cloudevents-batch+json") { return nil }
                let text = String(decoding: type, as: UTF8.self)
                if Self.is(type, "multipart/form-data") { return .multipart(text) }
                return length == .none ? .absent(text) : .other(text)
            } ?? absent
        guard let content else {
            throw Refusal(
                .notSupported,
                "A batch of CloudEvents would become one event. Publish each of them, with "
                    + "Content-Type: application/cloudevents+json.")
        }
        self = content
    }

    /// Whether a Content-Type is this media type, with parameters or without.
    private static func `is`(_ type: UnsafeRawBufferPointer, _ media: StaticString) -> Bool {
        guard ASCII.hasPrefixIgnoringCase(type, media) else { return false }
        var end = media.utf8CodeUnitCount
        while end < type.count, type[end] == 0x20 || type[end] == 0x09 { end += 1 }
        return end == type.count || type[end] == UInt8(ascii: ";")
    }

    /// The Content-Type to keep of the event. The type that curl gives every body by itself counts
    /// as none, and the lines of NDJSON are JSON each.
    func field(isSplit: Bool) -> String? {
        switch self {
        case .form: nil
        case .multipart(let type): type
        case .absent(let type), .other(let type):
            if isSplit, let type, ASCII.isEqualIgnoringCase(type.mediaType, "application/x-ndjson")
            {
                "application/json"
            } else {
                type
            }
        }
    }
}
