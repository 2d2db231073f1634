internal import HTTPFront
internal import Topics

/// What one look at the log found, and what is written of it in the forms that were asked for.
///
/// Belongs to one loop.
final class SharedRead {
    /// What is written of the events of one read, in one form.
    struct Write {
        let piece: ResponseBody
        /// How many of the events are in it, from the first on.
        let count: Int
        /// The last of these.
        let last: EventID

        /// What is written of the first of these events, made elsewhere.
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

    /// Whether a reader of this would be told the same. Selectors in the loop's table are copies of
    /// one where they are equal.
    func answers(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit
    ) -> Bool {
        self.selector.isCopy(of: selector) && self.position.isAlike(position)
            && self.limit == limit && self.filter == filter
    }

    /// What is written in a form: made by `make`, unless the last who asked had the same.
    func write(
        _ encoding: EventEncoding, _ framing: StreamFraming, _ make: () -> Write
    ) -> Write {
        if let made, made.encoding == encoding, made.framing == framing { return made.write }
        let write = make()
        made = Made(encoding: encoding, framing: framing, write: write)
        return write
    }

    /// What a poll is answered that was told of no gap: made by `make`, unless the last who asked had
    /// asked in the same words.
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
