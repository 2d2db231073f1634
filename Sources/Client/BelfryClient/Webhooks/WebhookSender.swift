internal import Protection
package import Topics

/// Posts to receivers of webhooks, all of it on one thread.
///
/// Goes straight to the receiver, follows no redirect, and repeats nothing.
///
/// Safe from any thread.
package final class WebhookSender: Sendable {
    private let thread: TransferThread
    private let authorities: String?
    private let clock: any BusClock

    /// - Parameters:
    ///   - authorities: The file of the authorities that receivers' certificates have to be of; nil
    ///     for those that the system trusts.
    ///   - clock: The clock for a receiver that asks to be left alone until a date.
    /// - Throws: `ClientError.unreachable` where the system gives no thread.
    package init(
        authorities: String? = nil, clock: any BusClock = SystemClock()
    ) throws(ClientError) {
        self.authorities = authorities
        self.clock = clock
        do throws(Errno) {
            thread = try TransferThread()
        } catch {
            throw .unreachable("no thread could be started: \(error)")
        }
    }

    /// Posts a body and returns the receiver's answer, after this long at most.
    ///
    /// A task that is cancelled waits all the same: half of a request is of no use to anybody.
    package func post(
        _ body: Payload, to address: WebhookAddress, headers: [String], within milliseconds: Int
    ) async -> WebhookAnswer {
        await withCheckedContinuation { continuation in
            thread.start(
                Transfer(
                    .post, address.path, at: address.base, headers: headers, body: body,
                    millisecondsMax: milliseconds, authorities: authorities,
                    to: WebhookReceipt(clock) { continuation.resume(returning: $0) }))
        }
    }
}

/// The answer of a receiver of webhooks.
package enum WebhookAnswer: Equatable, Sendable {
    /// This status, and how many seconds it asks to be left alone.
    case status(Int, retryAfter: Int?)
    /// No status came; the sentence says why.
    case none(String)
}

/// Keeps the head of an answer, and passes over its body up to a bound.
private final class WebhookReceipt: TransferReceiver {
    private struct State {
        var head: AnswerHead?
        var bytes = 0
    }

    private let state = Protected(State())
    private let clock: any BusClock
    private let report: @Sendable (WebhookAnswer) -> Void

    init(_ clock: any BusClock, _ report: @escaping @Sendable (WebhookAnswer) -> Void) {
        self.clock = clock
        self.report = report
    }

    func begin(_ head: AnswerHead) { state.write { $0.head = head } }

    func take(_ bytes: UnsafeRawBufferPointer) -> Intake {
        state.write { state in
            state.bytes += bytes.count
            return state.bytes <= Limits.receiptBytesMax ? .taken : .tooMuch
        }
    }

    func end(_ end: TransferEnd) {
        // If a head came, it is the receiver's whole answer, however its body ended.
        guard let head = state.value.head else {
            return switch end {
            case .broken(let detail, _), .uncertified(let detail), .untrusted(let detail):
                report(.none(detail))
            case .complete, .cancelled: report(.none("no answer came"))
            }
        }
        report(.status(head.status, retryAfter: head.retryAfterSeconds(by: clock)))
    }
}

extension AnswerHead {
    /// How many seconds `Retry-After` asks for (RFC 9110 section 10.2.3); `Int.max` where they are
    /// more.
    ///
    /// - Parameter clock: Tells the time if the receiver does not: its dates are by its own clock.
    fileprivate func retryAfterSeconds(by clock: any BusClock) -> Int? {
        guard let text = self["retry-after"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            return Int(text) ?? .max
        }
        let ours = clock.now()
        let now = self["date"].flatMap { Timestamp(httpDate: $0, now: ours) } ?? ours
        guard let then = Timestamp(httpDate: text, now: now) else { return nil }
        return Int(max(0, then.microseconds - now.microseconds) / 1_000_000)
    }
}
