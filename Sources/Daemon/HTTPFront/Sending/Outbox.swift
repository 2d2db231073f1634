/// Answers that a loop has made and not yet sent.
///
/// The answers to many requests of one turn are sent when all of them are made. A client of many
/// connections is then woken by the first answer, and finds the others while it is awake. Sent one
/// by one, each would find it asleep again, and waking it is over a quarter of a send.
struct Outbox {
    /// An answer, which ends where the next begins.
    struct Answer {
        let connection: Connection
        let bytes: Range<Int>
        let closes: Bool
    }

    var encoder = ResponseEncoder()
    /// Whether answers stay here until all that is at hand is done.
    var isGathering = false

    private var bytes: [UInt8] = []
    private var answers: [Answer] = []

    /// Whether its answers are to be sent before more is done.
    var isDue: Bool { !isGathering || bytes.count >= HTTPFrontLimits.outboxBytesMax }

    /// Adds the answer to this connection's request.
    mutating func add(
        _ response: Response, for context: ResponseContext, closes: Bool,
        to connection: Connection
    ) {
        let start = bytes.count
        encoder.encode(response, for: context, closes: closes, into: &bytes)
        answers.append(
            Answer(connection: connection, bytes: start..<bytes.count, closes: closes))
    }

    /// Empties it by `send`, which gets the answers in the order in which they were made, and adds
    /// none. Answers whose connection was closed are left out.
    mutating func drain(_ send: (Answer, UnsafeRawBufferPointer) -> Void) {
        guard !answers.isEmpty else { return }
        bytes.withUnsafeBytes { bytes in
            for answer in answers where answer.connection.machine.phase != .closed {
                send(answer, UnsafeRawBufferPointer(rebasing: bytes[answer.bytes]))
            }
        }
        bytes.removeAll(keepingCapacity: true)
        while answers.popLast() != nil {}
    }
}
