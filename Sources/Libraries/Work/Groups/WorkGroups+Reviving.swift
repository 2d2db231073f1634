package import Topics

/// How dead letters come to life again.
extension WorkGroups {
    /// Publishes a dead letter of a group again to the topic that it came from, once.
    ///
    /// The same commit notes it at the letter itself, so it is known as long as the letter is there,
    /// and publishes an event of type `revived` to the dead topic, whose key is the letter's id: that
    /// tells readers.
    ///
    /// - Parameters:
    ///   - id: The id that the letter has in the dead topic, or that of its job, where it is one of the
    ///     newest letters.
    ///   - hasLeft: Whether nobody waits for it any more: then it is not published.
    /// - Complexity: O(log events of the dead topic) and a read of the letter, on another thread, in the
    ///   turns of the caller.
    package func revive(
        _ name: GroupName, id: EventID, by caller: WorkCaller,
        unless hasLeft: @escaping @Sendable () -> Bool = { false },
        then: @escaping @Sendable (Result<PublishReceipt, WorkError>) -> Void
    ) {
        let group: WorkGroup
        do throws(WorkError) { group = try self.group(name) } catch {
            return then(.failure(error))
        }
        guard let dead = group.read({ $0.record.dead }) else {
            return then(.failure(.letterUnknown(id)))
        }
        let client = StoreClient(user: caller.uid, hasLeft: hasLeft)
        let isTaken = parts.thread.ask(for: caller.uid) { over in
            Revival(groups: self, group: group, id: id, dead: dead, client: client) {
                over()
                then($0)
            }.begin()
        }
        if !isTaken { then(.failure(.tooMuchAsked)) }
    }
}

/// A dead letter on its way back.
private struct Revival: Sendable {
    let groups: WorkGroups
    let group: WorkGroup
    let id: EventID
    let dead: TopicName
    let client: StoreClient
    let then: @Sendable (Result<PublishReceipt, WorkError>) -> Void

    private var bus: EventBus { groups.parts.bus }

    /// Begins once nobody else is about to revive it: whether they did is known then.
    func begin() {
        guard !client.hasLeft() else { return then(.failure(.bus(.clientLeft))) }
        guard groups.beginReviving(id, else: { begin() }) else { return }
        with(id) {
            groups.endReviving(id)
            then($0)
        }.find()
    }

    /// The same for a letter of this id.
    private func with(
        _ id: EventID, then: @escaping @Sendable (Result<PublishReceipt, WorkError>) -> Void
    ) -> Revival {
        Revival(groups: groups, group: group, id: id, dead: dead, client: client, then: then)
    }

    /// Looks for the letter that a job became, among the newest ones.
    private func findByJob() {
        let known = group.read { $0.letters }
        if let letter = known.newest(where: isMeant)?.letter {
            return with(letter, then: then).begin()
        }
        guard !known.isWhole else { return then(.failure(.letterUnknown(id))) }
        GroupRead(Selector(dead), .all, for: client, groups.parts).letters(
            of: group.name, in: dead
        ) {
            switch $0 {
            case .failure(let error): then(.failure(.bus(error)))
            case .success(let letters):
                guard let letter = letters.last(where: isMeant)?.letter else {
                    return then(.failure(.letterUnknown(id)))
                }
                with(letter, then: then).begin()
            }
        }
    }

    private func isMeant(_ entry: NewestLetters.Entry) -> Bool {
        entry.job == id && entry.topic == dead
    }

    /// Looks at the letter, whose memory counts until it is in the log again. If the dead topic has
    /// no event of the id, the id may be that of a job.
    private func find() {
        switch bus.event(id, in: dead) {
        case .removed, .unknown: findByJob()
        case .found(let letter): check(letter, nil)
        case .older(let position):
            GroupRead(Selector(dead), .all, for: client, groups.parts).first(behind: position) {
                switch $0 {
                case .failure(let error): then(.failure(.bus(error)))
                case .success(let letter?) where letter.id == id: check(letter, $1)
                case .success: findByJob()
                }
            }
        }
    }

    private func check(_ letter: Event, _ room: ReadRoom?) {
        let revived: RevivedLetter
        do throws(WorkError) {
            revived = try RevivedLetter(
                letter, of: (group.name, group.number, group.selector), in: dead, by: client.user)
        } catch {
            return then(.failure(error))
        }
        if let shared = groups.parts.shared {
            // A topic of this host may refuse them, which nothing does where the request is decided.
            if let error = bus.refusal(of: revived.batches, isRevival: true) {
                return then(.failure(.bus(error)))
            }
            let asked = GroupRequest.Reviving(
                WorkChange.Letter(topic: dead, id: id), by: client.user)
            return shared.ask(
                .revive(asked), of: group.number, for: client.user, .revive(group, then))
        }
        bus.commit(revived.change, publishing: revived.batches) { outcome in
            withExtendedLifetime(room) {}
            then(outcome.map { $0[0] }.mapError { .bus($0) })
        }
    }
}

/// A dead letter that is published again: its events, and the change that notes it.
struct RevivedLetter {
    let batches: [PublishBatch]
    let change: WorkChange

    private static let type = "revived"

    /// - Throws: `WorkError` where it is no letter of the group, or was published again already.
    init(
        _ letter: Event, of group: (name: GroupName, number: GroupNumber, selector: Selector),
        in dead: TopicName, by user: UInt32?
    ) throws(WorkError) {
        guard letter.metadata.attributes[DeathAttribute.group.rawValue] == group.name.text,
            let text = letter.metadata.attributes[DeathAttribute.topic.rawValue],
            let topic = try? TopicName(text),
            // Another group had the name when it died: users of this one may not publish there.
            group.selector.matches(topic)
        else { throw .letterUnknown(letter.id) }
        guard !letter.isRevived else { throw .letterRevived(letter.id) }
        guard let metadata = try? EventMetadata(type: Self.type, key: letter.id.description) else {
            preconditionFailure("the letter \(letter.id) has an id that is no key")
        }
        let revived = PublishBatch(
            topic: topic,
            metadata: letter.metadata.with(letter.metadata.attributes.revived, expires: nil),
            sender: letter.sender, payloads: [letter.payload])
        let mark = PublishBatch(
            topic: dead, metadata: metadata, sender: Sender(uid: user, pid: nil),
            payloads: [.empty])
        batches = [revived, mark]
        var change = WorkChange(of: group.number, persists: true)
        change.revived = WorkChange.Letter(topic: dead, id: letter.id)
        self.change = change
    }
}
