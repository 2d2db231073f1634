/// The part of an answer that the kernel has not taken yet, counted in the ledger until it goes.
final class UnsentTail {
    private let head: [UInt8]
    private let body: ResponseBody
    private let ledger: UnsentLedger
    private var sent: Int

    /// Whether the connection closes behind it.
    var closes: Bool

    /// The bytes that go out behind it: the end of a stream.
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

    /// Steps of a turn that it takes to let go of it: giving memory back to the system takes longer
    /// the more memory there is. Bytes that belong to somebody else as well stay where they are.
    var freeingSteps: Int {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count / HTTPFrontLimits.freedBytesPerStep
        case .shared(let shared) where shared.isCounted:
            shared.bytes.count / HTTPFrontLimits.freedBytesPerStep
        case .shared: 0
        }
    }

    /// Makes `write` write the rest. It gets the head, the body, and how much of both was sent.
    func send(_ write: ([UInt8], ResponseBody, Int) -> SendResult) -> SendResult {
        let result = write(head, body, sent)
        if case .partly(let bytes) = result { sent += bytes }
        return result
    }
}
