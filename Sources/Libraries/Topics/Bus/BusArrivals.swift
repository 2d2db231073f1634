/// The news of the store: removals by limits of its own, and entries of other hosts.
extension EventBus: StoreObserver {
    package func storeRemoved(_ loss: StoreLoss, of topic: TopicName) {
        let now = clock.now()
        withLog { $0.applyStoreLoss(topic, loss, now: now) }
    }

    /// Applies what the order has, and refuses nothing: limits were checked where it was asked for.
    package func storeApplied(_ arrival: StoreArrival) {
        switch arrival {
        case .events(let events, let owner):
            show(events, owner: owner)
            relieve()
        case .removal(let topic, let id):
            applyRemoval(of: topic, at: id)
        case .registration(let topic, let change, let owner, let time):
            apply(change, to: topic, owner: owner, at: time)
        case .held(let head, let other):
            let now = clock.now()
            withLater { log in
                if let other { log.endHold(other, .cancelled, at: now) }
                log.arrive(head)
            }
        case .cancelled(let ticket):
            let now = clock.now()
            withLater { $0.endHold(ticket, .cancelled, at: now) }
        case .released(let batch):
            show(batch)
            relieve()
        case .revival(let letter): withLog { $0.noteRevived(letter) }
        case .reached(let id): withLog { $0.rise(to: id) }
        }
    }

    package func storeMerged(lossesThrough id: EventID, time: Timestamp) {
        withLog { $0.raiseFloor(to: id, time: time) }
    }

    package func storeLearned(idsThrough id: EventID) { withLog { $0.rise(horizon: id) } }
}
