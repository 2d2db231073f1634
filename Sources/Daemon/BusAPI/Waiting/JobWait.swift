internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// One request for a job, from its arrival to its answer.
///
/// Belongs to its loop. Takes its socket at once, even if a job is at hand: only a detached socket
/// tells whether the client is still there when the hand-out is committed. A hand-out whose client
/// has left goes back.
final class JobWait: WaitingExchange {
    private let group: GroupName
    private let query: NextQuery
    private let caller: Caller
    private var waiting: WaitingWorker?
    /// Whether it counts as a waiting request.
    private var waits = false
    /// Ends the making of its group; nil while none is made for it.
    private var making: Cancellation?
    /// The refusal because of which it does not wait as it was asked to. It still gets a job that
    /// is at hand.
    private var full: Refusal?
    /// The step behind the pause that is under way; nil if there is none.
    private var rest: Rest?
    /// The request that it may repeat behind a pause; nil if it may not.
    private var asked: NextRequest?
    /// Whether it is to wait no longer. Its group may still be in the making then.
    private var isOver = false
    /// Bytes of its body, which is kept until it is answered.
    private var bodyBytes = 0

    /// The step that follows a pause.
    private enum Rest {
        case refused(Refusal)
        case again(NextRequest)
    }

    init(of group: GroupName, _ query: NextQuery, by caller: Caller, on loop: BusLoop) {
        self.group = group
        self.query = query
        self.caller = caller
        super.init(on: loop)
    }

    /// Asks for a job.
    ///
    /// - Parameters:
    ///   - making: The topics of the group, if it has to be made first.
    ///   - bodyBytes: Bytes of the request's body.
    func begin(
        _ request: NextRequest, making: Selector?, bodyBytes: Int, _ exchange: Exchange
    ) {
        do throws(Refusal) {
            try loop.waits.refuseIfFull(for: exchange.account)
        } catch {
            full = error
        }
        park(exchange, for: full == nil && query.wait > 0 ? query.wait : nil)
        var request = request
        request.waits = socket != nil && full == nil && query.wait > 0
        waits = request.waits
        if waits || making != nil { loop.waits.enter(self, for: waits ? exchange.account : nil) }
        request.isPatient =
            request.waits && request.worker != nil && request.settlement != nil
        self.bodyBytes = bodyBytes
        loop.service.memory.charge(bodyBytes, to: .bodies)
        guard let making else { return take(request, in: loop.workRound()) }
        let cancellation = Cancellation()
        self.making = cancellation
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let take = self
        loop.work.set(
            group, GroupSettings(of: making), by: caller.asWorker,
            unless: { cancellation.isCancelled }
        ) { [request, handle = loop.handle] result in
            handle.post { _ in take.made(result.map { _ in () }, request) }
        }
    }

    private func made(_ result: Result<Void, WorkError>, _ request: NextRequest) {
        making = nil
        switch result {
        case .failure(let error): answered(.failure(error))
        case .success:
            var request = request
            if isOver { request.waits = false }
            take(request)
        }
    }

    private func take(_ request: NextRequest, in groupBatch: GroupBatch? = nil) {
        asked = request.isPatient ? request : nil
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let take = self
        waiting = loop.work.next(group, request, by: caller.asWorker, in: groupBatch) {
            [handle = loop.handle] result in
            handle.post { _ in take.answered(result) }
        }
        loop.budget.add(waiting?.termCount ?? 0)
        // The client may have left while the group was made.
        if !isWaiting { waiting?.cancel() }
    }

    private func answered(_ result: Result<NextAnswer, WorkError>) {
        waiting = nil
        reauthorize()
        if case .failure(let error) = result, rests(behind: error) { return }
        loop.service.memory.release(bodyBytes, from: .bodies)
        switch result {
        case .failure(let error): finish(Refusal(error).response)
        case .success(let answer):
            guard let delivery = answer.delivery else { return finish(nothing(answer.settled)) }
            guard isWaiting, revoked == nil else {
                loop.work.giveBack(delivery.ticket)
                return finish(nothing(answer.settled))
            }
            finish(
                JobDeliveryAnswer(
                    delivery, behind: answer.settled, preferenceApplied: query.preferenceApplied
                ).response(isJSON: query.isJSON, loop.encodings)
            ) { [work = loop.work, ticket = delivery.ticket] in work.giveBack(ticket) }
        }
    }

    /// Begins a pause if another loop with its worker's name took its wait or its job; false
    /// otherwise.
    ///
    /// Two loops with one worker's name end each other's waits and take each other's jobs, and ask
    /// again at once. So a request is told of that behind a pause. Meanwhile it counts as a waiting
    /// request, and the other loop may settle its job.
    private func rests(behind error: WorkError) -> Bool {
        guard !isOver, waits, let socket else { return false }
        switch (error, asked) {
        case (.workerReplaced, _): rest = .refused(Refusal(error))
        case (.leaseLost, let request?): rest = .again(request)
        default: return false
        }
        socket.setDeadline(milliseconds: Int(min(query.wait, Self.pause) / 1_000))
        return true
    }

    private static let pause = Limits.replacedPauseSeconds * 1_000_000

    /// Goes on behind its pause.
    private func goOn() {
        switch rest.take() {
        case .again(var request)? where isWaiting:
            request.isPatient = false
            request.waits = !isOver && query.wait > Self.pause
            if request.waits {
                socket?.setDeadline(
                    milliseconds: Int((query.wait - Self.pause) / 1_000))
            }
            take(request)
        case .refused(let refusal)?:
            loop.service.memory.release(bodyBytes, from: .bodies)
            finish((revoked ?? refusal).response)
        case .again?: loop.service.memory.release(bodyBytes, from: .bodies)
        case nil: break
        }
    }

    /// The answer without a job: the wait is over, or there was no place to wait.
    private func nothing(_ settled: SettleReceipt?) -> Response {
        if let revoked { return revoked.response }
        if let full, settled == nil { return full.response }
        var response = Response.settled(settled)
        if full != nil { response.headers.add("Retry-After", "1") }
        if let seconds = query.preferenceApplied {
            response.headers.add("Preference-Applied", "wait=\(seconds)")
        }
        return response
    }

    override func requireAllowed() throws(Refusal) {
        // Its group may be in the making, or gone.
        guard loop.work.scope(of: group) != nil else { return }
        try loop.gate.requireStillKnown(caller)
        try loop.gate.workable(group, by: caller)
    }

    override func drain() {
        end()
        guard let making else { return }
        making.cancel()
        finish(Refusal.leaving.response)
    }

    override func timedOut(_ socket: DetachedSocket) {
        if rest == nil { end() } else { goOn() }
    }

    override func closed(_ socket: DetachedSocket) {
        leave()
        making?.cancel()
        end()
    }

    override func end() {
        isOver = true
        waiting?.cancel()
        goOn()
    }
}
