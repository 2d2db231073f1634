internal import HTTPFront
internal import JSON
internal import Wire

/// What the head of a publish says of its body.
enum PublishContent: Equatable {
    /// What `curl -d` says of every one.
    case form
    /// What `curl -F` sends: parts with boundaries.
    case multipart(String)
    /// Neither length nor chunks; the type that is said all the same.
    case absent(String?)
    /// Something else, of this type.
    case other(String?)

    /// - Throws: 400 `PARAMETER_REPEATED` for two types, and `NOT_SUPPORTED` for a batch of CloudEvents.
    init(_ head: RequestHead, _ length: RequestHead.BodyLength) throws(Refusal) {
        try head.headers.refuseIfRepeated("content-type")
        let isForm = head.headers.withFirst("content-type") { Self.isMedia($0, Self.formType) }
        guard isForm != true else {
            self = .form
            return
        }
        let type = isForm == nil ? nil : head.headers.first("content-type")
        if let type, ASCII.isEqualIgnoringCase(type.mediaType, "multipart/form-data") {
            self = .multipart(type)
            return
        }
        if let type,
            ASCII.isEqualIgnoringCase(type.mediaType, "application/cloudevents-batch+json")
        {
            throw Refusal(
                .notSupported,
                "A batch of CloudEvents would become one event. Publish each of them, with "
                    + "Content-Type: application/cloudevents+json.")
        }
        self = length == .none ? .absent(type) : .other(type)
    }

    private static let formType: StaticString = "application/x-www-form-urlencoded"

    /// Whether a Content-Type says this, with parameters or without.
    private static func isMedia(_ type: UnsafeRawBufferPointer, _ media: StaticString) -> Bool {
        let count = media.utf8CodeUnitCount
        guard ASCII.hasPrefixIgnoringCase(type, media) else { return false }
        return type[count...].first { $0 != 0x20 && $0 != 0x09 }.map { $0 == UInt8(ascii: ";") }
            ?? true
    }

    /// The Content-Type to keep of the event: what curl says of every body by itself counts as none, and
    /// the lines of NDJSON are JSON each.
    func attribute(isSplit: Bool) -> String? {
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
