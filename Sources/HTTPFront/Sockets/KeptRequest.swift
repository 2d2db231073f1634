/// A request that was parsed, kept with its connection to answer its repetitions.
final class KeptRequest {
    let model: RequestModel
    /// What an answer has to know of it.
    let context: ResponseContext
    /// The settings of the loop under which it was parsed, by their number.
    let settingsNumber: UInt32
    /// Bytes of body that it was allowed.
    let bodyBytesMax: Int
    /// What the handler made of it, or of its last repetition.
    var handled: any RepeatableRequest

    /// What is kept of a request that was parsed from `seen`; nil when it has to be parsed each
    /// time.
    init?(
        _ request: ActiveRequest, from seen: SeenInput, settingsNumber: UInt32,
        handled: any RepeatableRequest
    ) {
        guard let place = handled.valuePlace, let head = request.head,
            let model = RequestModel(
                seen, headBytes: request.headBytes, head: head, valueAt: place,
                name: request.name)
        else { return nil }
        self.model = model
        self.settingsNumber = settingsNumber
        self.handled = handled
        context = request.context
        bodyBytesMax = request.oversize?.bytesMax ?? 0
    }
}

/// What a connection's next request may turn out to repeat.
enum Repetition {
    /// Nothing.
    case none
    /// The next one may come again: it is looked at before the parser reads it, and a request of
    /// which nobody saw the bytes is none to know another by.
    case expected
    /// The one that the parser is busy with, if these bytes, which were there for it to read, are
    /// that and no more.
    case seen(SeenInput)
    /// The last one.
    case of(KeptRequest)
}
