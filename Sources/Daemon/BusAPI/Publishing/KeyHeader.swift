internal import Access
internal import Digests
internal import HTTPFront
internal import JSON
internal import Topics

/// The `Idempotency-Key` of a publish: 1 to 255 printable characters, or `SERIES;N` with a number.
struct KeyHeader {
    /// The key, without the number of a series.
    let name: String
    /// The number in a series; nil for a key that stands alone.
    let number: UInt64?

    /// The key of a request; nil where it has none.
    ///
    /// - Throws: 400 for one that is empty, too long, not printable, or given twice.
    init?(_ headers: HeaderFields) throws(Refusal) {
        guard let text = try headers.only("idempotency-key") else { return nil }
        let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPrintable, (1...Limits.keyBytesMax).contains(text.utf8.count) else {
            throw Refusal(
                .conditionInvalid,
                "Idempotency-Key has \(text.utf8.count) bytes; it takes 1 to \(Limits.keyBytesMax) of "
                    + "0x20 to 0x7E, such as a UUID, or SERIES;N with a number that rises.")
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        // Without digits to its end it is a key as any other.
        guard parts.count > 1, let last = parts.last,
            (1...Limits.keyDigitsMax).contains(last.count),
            last.utf8.allSatisfy(ASCII.isDigit), let number = UInt64(last)
        else {
            (name, number) = (text, nil)
            return
        }
        (name, self.number) = (String(text.dropLast(last.count + 1)), number)
    }

    /// The key of a publish, with everything that tells it from others.
    ///
    /// - Parameter ttl: The time to live that it asked for: the end of it would be another one with each
    ///   repeat.
    func key(
        of request: PublishRequest, by caller: Caller, _ body: UnsafeRawBufferPointer,
        windowMicroseconds: Int64
    ) -> IdempotencyKey {
        let parts = [caller.asWorker.identity, request.topic.text, name]
        let identity = Self.digest(parts.joined(separator: "\0"))
        let metadata = request.metadata
        // A repeat is another request of its trace.
        let attributes = metadata.attributes.untraced.text
        let said =
            MetadataField.all.map { metadata[$0] ?? "" } + [
                attributes, request.ttl.map { "\($0)" } ?? "", request.isSplit ? "lines" : "",
            ]
        let contents = [Self.hex(Digest.sha256(body))] + said
        let seconds =
            number == nil
            ? UInt32(clamping: windowMicroseconds / 1_000_000) : Limits.seriesWindowSeconds
        return IdempotencyKey(
            IdempotencyKey.Identity(high: identity.high, low: identity.low),
            print: Self.digest(contents.joined(separator: "\0")).high, number: number,
            windowSeconds: seconds)
    }

    private static func digest(_ text: String) -> (high: UInt64, low: UInt64) {
        let bytes = Array(text.utf8).withUnsafeBytes { Digest.sha256($0) }
        func number(_ range: Range<Int>) -> UInt64 {
            bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return (number(0..<8), number(8..<16))
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0, radix: 16) }.joined(separator: ",")
    }
}
