internal import Access
internal import Digests
internal import HTTPFront
internal import JSON
internal import Topics

/// The `Idempotency-Key` of a publish.
struct KeyHeader {
    /// The key that it says.
    let said: PublishKey

    /// The key of a request; nil where it has none.
    ///
    /// - Throws: 400 for one that is empty, too long, not printable, or given twice.
    init?(_ headers: HeaderFields) throws(Refusal) {
        guard let text = try headers.only("idempotency-key") else { return nil }
        do throws(PublishKeyError) {
            said = try PublishKey(text)
        } catch {
            throw Refusal(.conditionInvalid, "Idempotency-Key: \(error).")
        }
    }

    /// The key of a publish, with everything that tells it from others.
    ///
    /// - Parameter ttl: The time to live that it asked for: the end of it would be another one with each
    ///   repeat.
    func key(
        of request: PublishRequest, by caller: Caller, _ body: UnsafeRawBufferPointer,
        windowMicroseconds: Int64
    ) -> IdempotencyKey {
        let parts = [caller.asWorker.identity, request.topic.text, said.name]
        let identity = Self.digest(parts.joined(separator: "\0"))
        let seconds =
            said.number == nil
            ? UInt32(clamping: windowMicroseconds / 1_000_000) : Limits.seriesWindowSeconds
        return IdempotencyKey(
            IdempotencyKey.Identity(high: identity.high, low: identity.low),
            print: Self.print(of: request, body), number: said.number,
            windowSeconds: seconds)
    }

    /// A digest over all that a publisher said of events, but for the trace that they are in.
    static func print(
        of request: PublishRequest, _ body: UnsafeRawBufferPointer
    ) -> UInt64 {
        let metadata = request.metadata
        // A repeat is another request of its trace.
        let attributes = metadata.attributes.untraced.text
        let texts =
            MetadataField.all.map { metadata[$0] ?? "" } + [
                attributes, request.ttl.map { "\($0)" } ?? "", request.isSplit ? "lines" : "",
            ] + (request.hold.map { [$0.text] } ?? [])
        let contents = [hex(Digest.sha256(body))] + texts
        return digest(contents.joined(separator: "\0")).high
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
