internal import Topics

/// The standard input of a program behind `--`.
enum ProgramInput {
    /// The payload; a text that ends without a line end gets one, since `read` of a shell fails at a
    /// line that has none, and `while read` would see nothing of most events.
    ///
    /// A text is UTF-8 without a zero byte, and no empty payload. Other bytes stay as they are.
    ///
    /// - Complexity: O(bytes); copies them where it adds one.
    static func payload(of event: Event) -> Payload {
        let payload = event.payload
        return payload.withUnsafeBytes { bytes in
            guard let last = bytes.last, last != lineEnd, payload.isText else { return payload }
            return Payload(count: bytes.count + 1) { target in
                target.copyMemory(from: bytes)
                target[bytes.count] = lineEnd
            }
        }
    }

    private static let lineEnd: UInt8 = 0x0A
}
