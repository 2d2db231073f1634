internal import HTTPFront
internal import Topics

/// Bytes of a stream on their way into one write, with the framing of its connection.
struct StreamOutput {
    let framing: StreamFraming
    private(set) var bytes: [UInt8] = []

    init(_ framing: StreamFraming) { self.framing = framing }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }
    var piece: ResponseBody { bytes.isEmpty ? .empty : .bytes(bytes) }

    /// Adds the bytes that `write` appends, as one chunk.
    mutating func add(_ write: (inout [UInt8]) -> Void) {
        guard framing == .chunks else { return write(&bytes) }
        let start = bytes.count
        write(&bytes)
        let count = bytes.count - start
        guard count > 0 else { return }
        bytes.insert(contentsOf: ChunkFraming.prefix(for: count), at: start)
        bytes += ChunkFraming.suffix
    }

    /// Adds as many of these events as make one write, at least one, encoded for this write alone.
    /// Returns how many.
    mutating func add(_ events: [Event], as encoding: EventEncoding) -> Int {
        var count = 0
        let room = min(events.wireBytes, 2 * Limits.streamWriteBytes)
        bytes.reserveCapacity(bytes.count + max(room, [events[0]].wireBytes))
        if framing == .messages {
            while count < events.count, bytes.count < Limits.streamWriteBytes {
                let start = bytes.count
                encoding.write(events[count], to: &bytes)
                let prefix = encoding.framing(of: bytes.count - start).prefix
                bytes.insert(contentsOf: prefix, at: start)
                count += 1
            }
        } else {
            add { text in
                while count < events.count, text.count < Limits.streamWriteBytes {
                    encoding.write(events[count], to: &text)
                    count += 1
                }
            }
        }
        return count
    }

    /// Adds an event, which has its framing with it.
    mutating func add(_ event: EncodedEvent) {
        withExtendedLifetime(event) {
            bytes.append(contentsOf: event.bytes(isFramed: framing != .none))
        }
    }
}
