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
        let headers = head.headers
        guard !Self.isMedia(headers, "application/x-www-form-urlencoded") else {
            self = .form
            return
        }
        let type = headers.first("content-type")
        if let type, Self.isMedia(headers, "multipart/form-data") {
            self = .multipart(type)
            return
        }
        guard !Self.isMedia(headers, "application/cloudevents-batch+json") else {
            throw Refusal(
                .notSupported,
                "A batch of CloudEvents would become one event. Publish each of them, with "
                    + "Content-Type: application/cloudevents+json.")
        }
        self = length == .none ? .absent(type) : .other(type)
    }

    /// Whether the Content-Type is this media type, with parameters or without.
    private static func isMedia(_ headers: HeaderFields, _ media: StaticString) -> Bool {
        headers.withFirst("content-type") { type in
            guard ASCII.hasPrefixIgnoringCase(type, media) else { return false }
            return type[media.utf8CodeUnitCount...].first { $0 != 0x20 && $0 != 0x09 }
                .map { $0 == UInt8(ascii: ";") } ?? true
        } ?? false
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
