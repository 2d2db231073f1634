internal import HTTPFront
internal import Topics

/// The latest reads of one delivery, for all subscriptions that stand at the same place.
///
/// The result of a read depends on the moment, and on selector, filter, place and limit alone.
/// Within one delivery, all subscriptions that agree in these are told the result of the first
/// one's read. Nothing is lost by that: an event that becomes visible meanwhile wakes the loop
/// anew. Two selectors of the same text that show different topics are different selectors.
///
/// Belongs to one loop, and holds nothing between deliveries.
final class ReadCoalescer {
    private let log: LoopLog
    private var isDelivering = false
    /// Whether the last delivery was for one subscription alone. The next one probably will be,
    /// too.
    private(set) var isForOne = false
    private var latest: [CoalescedRead] = []
    private var oldest = 0
    /// The last large answer, for as long as a client takes it: a large delivery takes many turns.
    private weak var large: LargeAnswer?

    init(of log: LoopLog) { self.log = log }

    /// Whether a read at this moment may be shared with other subscriptions.
    var areShared: Bool { isDelivering && !isForOne }

    /// Shares reads while `delivery` runs, which may be for one subscription alone.
    func share(forOne isForOne: Bool, _ delivery: () -> Void) {
        self.isForOne = isForOne
        isDelivering = true
        delivery()
        isDelivering = false
        latest.removeAll(keepingCapacity: true)
        oldest = 0
    }

    /// The log's content after `position`: read now, unless another subscription just has read the
    /// same.
    func read(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit,
        of news: LogNews? = nil
    ) -> CoalescedRead {
        for read in latest where read.answers(position, selector, filter, limit) { return read }
        let read = CoalescedRead(
            position, selector, filter, limit,
            outcome: log.look(position, matching: selector, of: news, filter, limit))
        if isDelivering { keep(read) }
        return read
    }

    /// The answer to a poll that read these events and was told of no gap. Calls `make`, unless
    /// another client is sent the same.
    func response(
        of read: CoalescedRead, _ events: [Event], before cursor: EventID,
        to request: ReceiveRequest,
        _ make: () -> Response
    ) -> Response {
        read.response(to: request) {
            if let large, large.tells(events, before: cursor, to: request) { return large.response }
            let response = make()
            guard response.body.count > Limits.answeredAtOnceBytesMax,
                case .bytes(let bytes) = response.body
            else { return response }
            let made = LargeAnswer(bytes, of: events, before: cursor, to: request, response.headers)
            large = made
            return made.response
        }
    }

    /// Keeps a read. Readers at one place read on in steps, one after the other, so they need more
    /// than the last read.
    private func keep(_ read: CoalescedRead) {
        if latest.count < Limits.sharedReadsMax { return latest.append(read) }
        latest[oldest] = read
        oldest = (oldest + 1) % Limits.sharedReadsMax
    }
}
