internal import HTTPFront

// The poll after this one, which is nearly always this one with a new cursor.
extension LongPoll: RepeatableRequest {
    var valuePlace: ValuePlace? { request.startPlace }

    var isCurrent: Bool { configurationNumber == handler.configurationNumber }

    // Under the configuration that it was read by the caller may read what the caller might before.
    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        do throws(Refusal) {
            let value = String(decoding: differences.value, as: UTF8.self)
            try next().begin(at: value, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }

    /// This poll once more, or another one for the same, if the store may still answer this one.
    private func next() -> LongPoll {
        reader.isFetching ? LongPoll(request, on: handler) : self
    }
}
