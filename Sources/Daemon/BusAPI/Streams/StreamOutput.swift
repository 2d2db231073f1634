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

    /// Adds what `write` writes, in one chunk.
    mutating func add(_ write: (inout [UInt8]) -> Void) {
        guard framing == .chunks else { return write(&bytes) }
        var text: [UInt8] = []
        write(&text)
        guard !text.isEmpty else { return }
        bytes += ChunkFraming.prefix(for: text.count)
        bytes += text
        bytes += ChunkFraming.suffix
    }

    /// Adds as many of these events as make one write, encoded for this write alone: at least one.
    /// Returns how many.
    mutating func add(_ events: [Event], as encoding: EventEncoding) -> Int {
        var count = 0
        if framing == .messages {
            var message: [UInt8] = []
            while count < events.count, bytes.count < Limits.streamWriteBytes {
                message.removeAll(keepingCapacity: true)
                encoding.write(events[count], to: &message)
                bytes += encoding.framing(of: message.count).prefix
                bytes += message
                count += 1
            }
        } else {
            // What is there already counts too, whether or not it is in the same piece of text.
            let before = framing == .chunks ? bytes.count : 0
            add { text in
                let room = events.reduce(text.count) {
                    $0 + $1.payload.count + Limits.encodedEventBytes
                }
                text.reserveCapacity(min(room, 2 * Limits.streamWriteBytes))
                while count < events.count, before + text.count < Limits.streamWriteBytes {
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
