extension EventBus {
    /// The order that hosts share, if the bus is on one. Changes of work groups are asked for there.
    package var sharedOrder: (any SharedOrderStore)? { store as? any SharedOrderStore }

    /// Commits a change of a work group, and with it batches of events: all of it, or nothing.
    ///
    /// The batches are checked and admitted exactly as ``publish(_:then:)`` does; where one of them
    /// is refused, nothing is committed. `then` gets their places in their order, before this
    /// returns or on a thread of the store. By then the events are visible and observers were told.
    ///
    /// - Complexity: O(events + jobs that the change names).
    package func commit(
        _ change: WorkChange, publishing batches: [PublishBatch] = [],
        then: @escaping @Sendable (Result<[PublishReceipt], BusError>) -> Void
    ) {
        let prepared: [PreparedBatch]
        do throws(BusError) {
            prepared = try prepare(batches, isRevival: change.revived != nil)
        } catch {
            return then(.failure(error))
        }
        guard !prepared.isEmpty else {
            return store.commit(.work(change)) { outcome in then(outcome.map { _ in [] }) }
        }
        let events = prepared.map {
            StoreEntry.events($0.batch, persists: $0.persists, owner: $0.owner)
        }
        store.commit(.together(events + [.work(change)])) { [self] outcome in
            then(finish(prepared, change, outcome))
        }
    }

    /// Prepares all of the batches, or none.
    private func prepare(
        _ batches: [PublishBatch], isRevival: Bool
    ) throws(BusError) -> [PreparedBatch] {
        var prepared: [PreparedBatch] = []
        for batch in batches {
            let room = room
            do throws(BusError) {
                prepared.append(
                    try withLog { log throws(BusError) in
                        try log.prepare(batch, room: room, isRevival: isRevival)
                    })
            } catch {
                cancel(prepared)
                throw error
            }
        }
        return prepared
    }

    /// Why batches would be refused at this moment; nil where they would not.
    package func refusal(of batches: [PublishBatch], isRevival: Bool = false) -> BusError? {
        do throws(BusError) {
            cancel(try prepare(batches, isRevival: isRevival))
            return nil
        } catch {
            return error
        }
    }

    private func cancel(_ prepared: [PreparedBatch]) {
        for batch in prepared { withLog { $0.settle(batch) } }
    }

    private func finish(
        _ prepared: [PreparedBatch], _ change: WorkChange,
        _ outcome: Result<StoreReceipt, BusError>
    ) -> Result<[PublishReceipt], BusError> {
        switch outcome {
        case .failure(let error):
            cancel(prepared)
            return .failure(error)
        case .success(.together(let receipts)):
            if let letter = change.revived { withLog { $0.noteRevived(letter) } }
            return .success(
                zip(prepared, receipts).map { prepared, receipt in
                    guard case .events(let events) = receipt else {
                        preconditionFailure(
                            "the store took events of \(prepared.batch.topic) as something else")
                    }
                    return admit(prepared, events)
                })
        case .success:
            preconditionFailure("the store took several entries as something else")
        }
    }
}
