/// What the kernel has not taken yet of an answer, counted in the ledger until it goes.
final class UnsentTail {
    private let head: [UInt8]
    private let body: ResponseBody
    private let ledger: UnsentLedger
    private var sent: Int

    /// Whether the connection closes behind it.
    var closes: Bool

    /// What goes out behind it: the end of a stream.
    var end: [UInt8] = []

    /// The rest of `head` and `body` behind the first `sent` bytes of both.
    init(
        head: [UInt8], body: ResponseBody, sent: Int, closes: Bool = false, ledger: UnsentLedger
    ) {
        self.head = head
        self.body = body
        self.sent = sent
        self.closes = closes
        self.ledger = ledger
        ledger.charge(body, extra: head.count)
    }

    deinit {
        ledger.release(body, extra: head.count)
    }

    /// Bytes of the body, those that are sent included.
    var bodyBytes: Int { body.count }

    /// What it takes of a turn to let go of it: giving memory back to the system takes as long as there
    /// is memory. What belongs to somebody else as well stays where it is.
    var freeingSteps: Int {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count / HTTPFrontLimits.freedBytesPerStep
        case .shared(let shared) where shared.isCounted:
            shared.bytes.count / HTTPFrontLimits.freedBytesPerStep
        case .shared: 0
        }
    }

    /// Has `write` write what is left, which gets the head, the body, and how much of both was sent.
    func send(_ write: ([UInt8], ResponseBody, Int) -> SendResult) -> SendResult {
        let result = write(head, body, sent)
        if case .partly(let bytes) = result { sent += bytes }
        return result
    }
}
