internal import HTTPFront
internal import JSON
internal import Wire

/// The headers of a publish. One that means something to its sender and nothing to the bus is
/// refused by its name: it would be lost without a word.
enum PublishHeaders {
    /// Refuses headers of features that this version does not offer, and headers that only look
    /// like attributes.
    static func check(_ headers: HeaderFields) throws(Refusal) {
        guard let name = headers.firstName(where: isRefused) else { return }
        throw refusal(of: name)
    }

    /// Whether an answer has to say that the key of a repeat was ignored. Webhooks of GitLab have one in each
    /// request, and their sender has no way to leave it out.
    static func haveIgnoredKey(_ headers: HeaderFields) -> Bool {
        headers.has("idempotency-key")
    }

    /// The header of an answer that tells that the key was ignored.
    static let keyIsIgnored: HeaderLines = [("Idempotency-Key", "ignored")]

    private static func isRefused(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let first = name.first else { return false }
        switch first | 0x20 {
        case UInt8(ascii: "c"): return ASCII.hasPrefixIgnoringCase(name, "ce-")
        case UInt8(ascii: "e"):
            return ASCII.hasPrefixIgnoringCase(name, "event-")
                && !WireField.own.contains {
                    ASCII.isEqualIgnoringCase(name, WireField.row($0).lowercaseHeader)
                }
        default: return false
        }
    }

    /// The headers of answers in lower case, those of a publish among them.
    private static let known = Set(
        WireHeaders.exposed.lowercased().split(separator: ", ").map(String.init))

    private static func refusal(of name: String) -> Refusal {
        let shown = String(name.prefix(Limits.shownNameCharacters))
        let lowercase = name.lowercased()
        if lowercase.hasPrefix("ce-") {
            return Refusal(
                .notSupported,
                "The header '\(shown)' belongs to a CloudEvent in binary mode, whose attributes the "
                    + "bus does not keep. Send it in structured mode: the whole CloudEvent as the "
                    + "body, with Content-Type: application/cloudevents+json.")
        }
        let own = WireField.ownHeaders
        let ownList = own.dropLast().joined(separator: ", ") + " and \(own[own.count - 1])"
        return Refusal(
            .parameterUnknown,
            known.contains(lowercase)
                ? "'\(shown)' is a header of answers: the bus itself gives every event its id, time "
                    + "and topic. A publish knows the headers \(ownList); leave the others out."
                : "'\(shown)' is no header of a publish; it knows \(ownList).")
    }
}
