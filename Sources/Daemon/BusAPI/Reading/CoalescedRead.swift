internal import HTTPFront
internal import Topics

/// The result of one look at the log, with the last stream piece and the last poll answer made of
/// it.
///
/// Belongs to one loop.
final class CoalescedRead {
    /// The bytes of a read's first events, in one form.
    struct Write {
        let piece: ResponseBody
        /// How many of the events are in it, from the first on.
        let count: Int
        /// The last of these.
        let last: EventID

        /// The bytes of the first of these events that were made beside the loop.
        init(_ made: MadeAnswer, of events: [Event]) {
            self.init(piece: made.body, count: made.count, last: events[made.count - 1].id)
        }

        init(piece: ResponseBody, count: Int, last: EventID) {
            self.piece = piece
            self.count = count
            self.last = last
        }
    }

    private struct Made {
        let encoding: EventEncoding
        let framing: StreamFraming
        let write: Write
    }

    private struct Answered {
        let form: EventForm
        let nextTarget: String
        let preferenceApplied: Int64?
        let response: Response
    }

    private let position: LogPosition
    private let selector: Selector
    private let filter: EventFilter
    private let limit: ReadLimit
    let outcome: LogRead
    private var made: Made?
    private var answered: Answered?

    init(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit,
        outcome: LogRead
    ) {
        self.position = position
        self.selector = selector
        self.filter = filter
        self.limit = limit
        self.outcome = outcome
    }

    /// Whether a reader of this would be told the same. Equal selectors in the loop's table are
    /// copies of one selector, so only their memory is compared.
    func answers(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit
    ) -> Bool {
        self.selector.isCopy(of: selector) && self.position.isAlike(position)
            && self.limit == limit && self.filter == filter
    }

    /// The first events written in a form. Calls `make`, unless the last reader asked for the same
    /// form.
    func write(
        _ encoding: EventEncoding, _ framing: StreamFraming, _ make: () -> Write
    ) -> Write {
        if let made, made.encoding == encoding, made.framing == framing { return made.write }
        let write = make()
        made = Made(encoding: encoding, framing: framing, write: write)
        return write
    }

    /// The answer to a poll that was told of no gap. Calls `make`, unless the last poll asked in
    /// the same words.
    func response(to request: ReceiveRequest, _ make: () -> Response) -> Response {
        if let answered, answered.form == request.form,
            answered.preferenceApplied == request.preferenceApplied,
            answered.nextTarget == request.nextTarget
        {
            return answered.response
        }
        let response = make()
        answered = Answered(
            form: request.form, nextTarget: request.nextTarget,
            preferenceApplied: request.preferenceApplied, response: response)
        return response
    }
}
