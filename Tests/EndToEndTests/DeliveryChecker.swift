/// Holds what subscribers received against what was published: received plus told gaps has to equal
/// published, in order, once.
struct DeliveryChecker {
    /// One event, as the publisher knows it.
    private struct Event {
        let publication: Publication
        /// Where it stands among all events.
        let index: Int
        /// The ids that it can have: only those of the first and last of a batch are known.
        let ids: ClosedRange<UInt64>
    }

    private let events: [Event]
    private let indexes: [String: Int]
    /// What is wrong with the publications themselves.
    let problems: [String]

    /// A checker of subscribers to these publications, given in any order.
    init(_ publications: [Publication]) {
        let ordered = publications.sorted { $0.ids.lowerBound < $1.ids.lowerBound }
        problems = zip(ordered, ordered.dropFirst()).compactMap {
            $0.ids.upperBound < $1.ids.lowerBound
                ? nil : "the ids \($0.ids) and \($1.ids) of two requests are entangled"
        }
        var events: [Event] = []
        var indexes: [String: Int] = [:]
        for publication in ordered {
            let last = publication.payloads.count - 1
            for (offset, payload) in publication.payloads.enumerated() {
                // Ids rise within a batch, so each leaves room for those before and behind it.
                let first = publication.ids.lowerBound + UInt64(offset)
                let through = publication.ids.upperBound - UInt64(last - offset)
                let ids =
                    offset == 0
                    ? first...first : offset == last ? through...through : first...through
                indexes[payload] = events.count
                events.append(Event(publication: publication, index: events.count, ids: ids))
            }
        }
        self.events = events
        self.indexes = indexes
    }

    /// What is wrong with what one subscriber was told; nothing if all is well.
    ///
    /// - Parameter gapsAreExact: Whether a gap without any loss is wrong, too. A topic that was
    ///   deleted may leave one.
    /// - Parameter lossesGoOn: Whether events go while the subscriber is under way.
    func problems(
        of history: History, gapsAreExact: Bool = true, lossesGoOn: Bool = false
    ) -> [String] {
        var found = order(of: history)
        var received: Set<Int> = []
        var newest = -1
        for delivery in history.deliveries {
            guard let index = indexes[delivery.payload] else {
                found.append("\(delivery) was never published")
                continue
            }
            found += differences(delivery, events[index], history)
            if !received.insert(index).inserted { found.append("\(delivery) came twice") }
            if index < newest { found.append("\(delivery) came too late") }
            newest = max(newest, index)
        }
        let expected = events.filter {
            history.selector.matches($0.publication.topic) && $0.ids.lowerBound > history.start
        }
        let gaps = history.gaps
        found += untold(expected, received, gaps, history, lossesGoOn)
        if gapsAreExact, history.isToldExactly {
            found += idle(gaps, expected.filter { !received.contains($0.index) })
        }
        return found
    }

    /// The missing events that no gap accounts for.
    ///
    /// Whatever removes events takes the oldest of a topic first, so the gap of exactly one topic
    /// does not account for an event behind another which was received after it was told. Over
    /// several topics it may: it reaches as far as the loss of any of them, and what else goes up to
    /// there while its reader is slow is told already. What was lost only grows, so of all gaps that
    /// begin before an event the last reaches farthest.
    private func untold(
        _ expected: [Event], _ received: Set<Int>, _ gaps: [ToldGap], _ history: History,
        _ lossesGoOn: Bool
    ) -> [String] {
        var found: [String] = []
        var receivedLast: [String: UInt64] = [:]
        var begun = gaps.startIndex
        for event in expected {
            let topic = event.publication.topic
            while begun < gaps.endIndex, gaps[begun].after < event.ids.upperBound { begun += 1 }
            if received.contains(event.index) {
                receivedLast[topic] = event.ids.lowerBound
            } else if isWanted(event, history) {
                let isTold =
                    begun > gaps.startIndex
                    && gaps[begun - 1].through >= event.ids.lowerBound
                    && (lossesGoOn && !history.selector.isName
                        || gaps[begun - 1].after >= receivedLast[topic] ?? 0)
                if !isTold { found.append("\(event.ids) of \(topic) is missing untold") }
            }
        }
        return found
    }

    /// The gaps in which nothing is missing.
    private func idle(_ gaps: [ToldGap], _ missing: [Event]) -> [String] {
        var found: [String] = []
        var next = missing.startIndex
        for gap in gaps {
            while next < missing.endIndex, missing[next].ids.upperBound <= gap.after { next += 1 }
            if next == missing.endIndex || missing[next].ids.lowerBound > gap.through {
                found.append("\(gap) hides no loss")
            }
        }
        return found
    }

    /// Ids, cursors and gaps only rise, and nothing that is told lies before what was asked for.
    private func order(of history: History) -> [String] {
        var found: [String] = []
        var position = history.start
        for turn in history.turns {
            if turn.asked != position { found.append("asked \(turn.asked) behind \(position)") }
            for told in turn.told {
                switch told {
                case .gap(let gap):
                    if gap.after < position { found.append("\(gap) begins before \(position)") }
                    if gap.through <= gap.after { found.append("\(gap) is empty") }
                case .event(let delivery):
                    if let id = delivery.id, id <= position {
                        found.append("\(delivery) behind \(position)")
                    }
                case .cursor(let cursor):
                    if cursor < position {
                        found.append("the cursor \(cursor) fell behind \(position)")
                    }
                }
                position = told.cursor ?? position
            }
        }
        return found
    }

    private func differences(
        _ delivery: Delivery, _ event: Event, _ history: History
    ) -> [String] {
        var found: [String] = []
        if let id = delivery.id, !event.ids.contains(id) {
            found.append("\(delivery) has not \(event.ids)")
        }
        let (topic, type) = (event.publication.topic, event.publication.type)
        if delivery.topic ?? topic != topic || delivery.saysType && delivery.type != type {
            found.append("\(delivery) was published otherwise")
        }
        if !history.selector.matches(topic) || !isWanted(event, history) {
            found.append("\(delivery) was not asked for")
        }
        return found
    }

    private func isWanted(_ event: Event, _ history: History) -> Bool {
        history.type == nil || history.type == event.publication.type
    }
}
