internal import Protection

/// One answer that goes on, between the loop that takes it in and the one task that reads it.
///
/// It holds ``Limits/streamBytesMax`` and the bytes that libcurl hands on at once. Beyond that the
/// transfer rests, and the bus keeps the rest.
final class StreamFeed: TransferReceiver {
    /// The next part of the answer.
    enum Piece {
        case head(AnswerHead)
        case bytes([UInt8])
        case end(TransferEnd)
    }

    private struct State {
        var head: AnswerHead?
        var bytes: [UInt8] = []
        var isResting = false
        var end: TransferEnd?
        var waiter: CheckedContinuation<Void, Never>?

        var isEmpty: Bool { head == nil && bytes.isEmpty && end == nil }

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }

        mutating func takePiece() -> Piece? {
            if let found = head {
                head = nil
                return .head(found)
            }
            if !bytes.isEmpty {
                var taken: [UInt8] = []
                swap(&taken, &bytes)
                return .bytes(taken)
            }
            return end.map { .end($0) }
        }
    }

    private let state = Protected(State())

    /// The bytes that wait to be read.
    var heldBytes: Int { state.write { $0.bytes.count } }

    func begin(_ head: AnswerHead) {
        state.write { state in
            state.head = head
            return state.takeWaiter()
        }?.resume()
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Intake {
        let (intake, waiter) = state.write { state -> (Intake, CheckedContinuation<Void, Never>?) in
            guard state.bytes.count < Limits.streamBytesMax else {
                state.isResting = true
                return (.noRoom, nil)
            }
            state.bytes.append(contentsOf: bytes)
            return (.taken, state.takeWaiter())
        }
        waiter?.resume()
        return intake
    }

    func end(_ end: TransferEnd) {
        state.write { state in
            state.end = end
            return state.takeWaiter()
        }?.resume()
    }

    /// Waits for the next piece, and takes it. The end comes again and again.
    ///
    /// - Parameter resume: Called if the transfer rested and is to go on.
    func next(resume: () -> Void) async -> Piece {
        while true {
            let (piece, rested) = state.write { state -> (Piece?, Bool) in
                let piece = state.takePiece()
                guard state.bytes.isEmpty, state.isResting else { return (piece, false) }
                state.isResting = false
                return (piece, true)
            }
            if rested { resume() }
            if let piece { return piece }
            await withCheckedContinuation { continuation in
                let isReady = state.write { state in
                    if state.isEmpty { state.waiter = continuation }
                    return !state.isEmpty
                }
                if isReady { continuation.resume() }
            }
        }
    }
}
