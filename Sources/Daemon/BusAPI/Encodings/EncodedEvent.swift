internal import HTTPFront
internal import Topics

/// One event as it goes over the wire, encoded once for all readers that want it in that form.
///
/// Its bytes lie in one place for as long as it lives, so that many sockets write from there.
final class EncodedEvent: Sendable {
    private let framed: Payload
    private let body: Range<Int>

    /// Encodes an event. `scratch` is overwritten, and its capacity spares growing another array.
    init(_ event: Event, as encoding: EventEncoding, scratch: inout [UInt8]) {
        scratch.removeAll(keepingCapacity: true)
        encoding.write(event, to: &scratch)
        let (prefix, suffix) = encoding.framing(of: scratch.count)
        body = prefix.count..<(prefix.count + scratch.count)
        framed = Payload(count: body.upperBound + suffix.count) { [scratch] memory in
            memory.copyBytes(from: prefix)
            UnsafeMutableRawBufferPointer(rebasing: memory[prefix.count...])
                .copyBytes(from: scratch)
            UnsafeMutableRawBufferPointer(rebasing: memory[(prefix.count + scratch.count)...])
                .copyBytes(from: suffix)
        }
    }

    /// Memory that it takes, in bytes.
    var memoryBytes: Int { framed.count + Limits.encodingOverheadBytes }

    /// The bytes, valid while this lives.
    ///
    /// - Parameter isFramed: Whether the chunk or frame of the form's connection is around them.
    func bytes(isFramed: Bool) -> UnsafeRawBufferPointer {
        isFramed ? framed.bytes : UnsafeRawBufferPointer(rebasing: framed.bytes[body])
    }

    /// The bytes as something to send, shared by all sockets that send them.
    func piece(isFramed: Bool) -> ResponseBody {
        .shared(owner: self, bytes(isFramed: isFramed))
    }
}
