internal import HTTPFront
internal import Topics

/// Sentences in the answer to a publish that was probably not meant as it was sent. The event is in
/// the log as it was sent, and the sentence tells the publisher of the likely mistake.
///
/// The sentences need no escaping in JSON.
enum PublishHint {
    /// The hint about a body; nil for one that is probably as it was meant.
    ///
    /// - Parameter isOneLine: Whether the request asked for a batch, and the body is one line.
    static func body(
        _ content: PublishContent, _ bytes: UnsafeRawBufferPointer, isOneLine: Bool, isSplit: Bool
    ) -> String? {
        switch content {
        case .other: nil
        case .absent:
            "The event is empty, because the request had no body: curl -d TEXT sends one."
        case .multipart:
            "The event is a form with its boundaries and headers: curl --data-binary @FILE sends a "
                + "file alone."
        case .form where bytes.contains(UInt8(ascii: "\n")): nil
        case .form where isOneLine:
            "The body was one line. `curl -d @FILE` takes the line ends out of a file: send it with "
                + "--data-binary @FILE."
        case .form where !isSplit && isLikeJoinedLines(bytes):
            "The event has no line end. If it was a file: `curl -d @FILE` takes the line ends out, and "
                + "--data-binary @FILE keeps them."
        case .form: nil
        }
    }

    /// The hint about an event that was meant for a time that is over.
    static let timeIsOver =
        "The time of 'at' is over, so the event was published at once; times are in UTC."

    /// The hint about a key that the bus does not look at.
    static func key(in header: StaticString) -> String {
        "A repeat of this is a second event: the key of a publish is in the header Idempotency-Key, and "
            + "'\(header)' is not looked at."
    }

    /// The hint about a topic of which an event is expected by a bus that forgets it.
    static let expectationInMemory =
        "A restart of the bus forgets this: its topics are in memory ('store' in section [store] of "
        + "belfryd.conf). Send the PUT each time that the bus has started."

    /// The hint about a topic that this request has made.
    static func topic(_ topic: TopicName, beside namesake: TopicName) -> String {
        "This made the topic \(topic). There is also \(namesake): capitals tell names apart."
    }

    /// Whether a body may have been the lines of a file: it is longer than most people type, and
    /// not JSON, in which line ends mean nothing.
    private static func isLikeJoinedLines(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= Limits.joinedLinesBytesMin && bytes[0] != UInt8(ascii: "{")
            && bytes[0] != UInt8(ascii: "[")
    }
}
