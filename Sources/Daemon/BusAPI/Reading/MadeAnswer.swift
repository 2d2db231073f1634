internal import HTTPFront
internal import Topics
internal import Wire

/// Events as bytes that were written beside the loop, ready to be sent.
struct MadeAnswer: Sendable {
    /// Writes the events of a read, and returns how many; nil if the loop is to write them itself.
    typealias Maker = @Sendable (LogRead) -> (bytes: [UInt8], count: Int)?

    /// The bytes, counted for as long as somebody sends them.
    let body: ResponseBody
    /// How many of the events are in it, from the first on.
    let count: Int

    /// The bytes that `make` writes of a read, in this room. The events count there too, until the
    /// room is settled.
    init?(of read: LogRead, in room: ResponseReservation, by make: Maker) {
        let events = read.events
        room.grow(to: events.reduce(events.wireBytes) { $0 + EventEnvelope.bytesMax(of: $1) })
        guard let made = make(read) else { return nil }
        body = .made(made.bytes, in: room, besides: events.wireBytes)
        count = made.count
    }
}

extension ResponseBody {
    /// Bytes that were made beside the loop, in a room that counts them until they are sent. The
    /// events that they were made of, of `count` bytes, count too until the room is settled.
    static func made(
        _ bytes: [UInt8], in room: ResponseReservation, besides count: Int = 0
    ) -> ResponseBody {
        room.settle(madeOf: bytes.count + count)
        return AnswerBytes(bytes, in: room).body
    }
}

/// The bytes of an answer, in the room that was taken for them.
private final class AnswerBytes: Sendable {
    private let bytes: [UInt8]
    private let room: ResponseReservation

    init(_ bytes: [UInt8], in room: ResponseReservation) {
        self.bytes = bytes
        self.room = room
    }

    /// The bytes where they are, without a copy: an array that nobody changes stays in its place.
    var body: ResponseBody { .shared(owner: self, bytes.withUnsafeBytes { $0 }, isCounted: true) }
}

extension LogRead {
    /// The events that were found; none if it found something else.
    var events: [Event] { if case .events(let events, _, _) = self { events } else { [] } }
}

extension [Event] {
    /// Bytes of the events on the wire, about.
    var wireBytes: Int {
        reduce(0) {
            $0 + $1.payload.count + WireLimits.envelopeBytes
                + $1.metadata.attributes.envelopeBytesMax
        }
    }
}
