/// Answers that a loop has made and not yet sent.
///
/// What answers many requests of one turn is sent when all of them are answered: a client of many
/// connections is then woken by the first answer, and finds the others while it is awake. Sent one
/// by one, each would find it asleep again, and waking somebody is over a quarter of a send.
struct Outbox {
    /// An answer, which ends where the next begins.
    struct Answer {
        let connection: Connection
        let bytes: Range<Int>
        let closes: Bool
    }

    /// The answers' bytes; whoever makes one appends it, then says whose it is.
    var bytes: [UInt8] = []
    private var answers: [Answer] = []
    private var end = 0

    /// Whether enough is in it to send that first.
    var isFull: Bool { end >= HTTPFrontLimits.outboxBytesMax }

    /// What was appended since the last answer is the answer to this connection's request.
    mutating func add(for connection: Connection, closes: Bool) {
        answers.append(
            Answer(connection: connection, bytes: end..<bytes.count, closes: closes))
        end = bytes.count
    }

    /// Empties it by `send`, which gets each answer that nobody has closed the connection of, in the
    /// order in which they were made, and adds none.
    mutating func drain(_ send: (Answer, UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            for answer in answers where answer.connection.machine.phase != .closed {
                send(answer, UnsafeRawBufferPointer(rebasing: bytes[answer.bytes]))
            }
        }
        bytes.removeAll(keepingCapacity: true)
        answers.removeAll(keepingCapacity: true)
        end = 0
    }
}
