internal import HTTPFront
internal import Topics

/// The answer of a poll that takes much memory, kept once for all clients that are sent the same.
final class LargeAnswer: Sendable {
    private let bytes: [UInt8]
    private let headers: HeaderLines
    private let ids: [EventID]
    private let cursor: EventID
    private let form: EventForm
    private let nextTarget: String
    private let preferenceApplied: Int64?

    init(
        _ bytes: [UInt8], of events: [Event], before cursor: EventID, to request: ReceiveRequest,
        _ headers: HeaderLines
    ) {
        self.bytes = bytes
        self.headers = headers
        self.cursor = cursor
        ids = events.map(\.id)
        form = request.form
        nextTarget = request.nextTarget
        preferenceApplied = request.preferenceApplied
    }

    /// Whether it is the answer to a request that found these events. The ids suffice, as an event
    /// never changes.
    func tells(_ events: [Event], before cursor: EventID, to request: ReceiveRequest) -> Bool {
        self.cursor == cursor && form == request.form
            && preferenceApplied == request.preferenceApplied && nextTarget == request.nextTarget
            && ids.elementsEqual(events.lazy.map(\.id))
    }

    /// The answer, whose bytes stay where they are: an array that nobody changes keeps its place.
    var response: Response {
        Response(
            status: 200, headers: headers,
            body: .shared(owner: self, bytes.withUnsafeBytes { $0 }))
    }
}
