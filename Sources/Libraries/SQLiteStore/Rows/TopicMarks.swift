internal import Protection
internal import Topics

/// The marks of the topics that exist, for readers: their numbers, and the ids up to which their
/// rows are gone. As of the last commit; safe from any thread.
final class TopicMarks: Sendable {
    /// One topic of the store.
    struct Mark {
        let name: TopicName
        let number: Int64
        /// Rows up to this id are gone.
        let removedThrough: EventID
    }

    private struct Marks {
        var byName: [TopicName: Mark] = [:]
        var names: [Int64: TopicName] = [:]
    }

    private let marks = Protected(Marks())

    /// Takes over the topics as a commit left them.
    func update(_ topics: [TopicState]) {
        marks.write { marks in
            for topic in topics {
                if topic.isLive {
                    marks.byName[topic.name] = Mark(
                        name: topic.name, number: topic.number, removedThrough: topic.removedThrough
                    )
                    marks.names[topic.number] = topic.name
                } else {
                    marks.byName[topic.name] = nil
                    marks.names[topic.number] = nil
                }
            }
        }
    }

    /// The topics that a selector matches, or nil if there are more than `countMax`, or more names to
    /// compare than a turn of a reader may.
    ///
    /// - Complexity: O(terms) for names; O(topics × terms) within that bound if one is a pattern.
    func matching(_ selector: Selector, countMax: Int) -> [Mark]? {
        let names = selector.terms.compactMap { term in
            if case .name(let name) = term { name } else { nil }
        }
        if names.count == selector.terms.count {
            return marks.read { marks in Set(names).compactMap { marks.byName[$0] } }
        }
        let all = marks.read { $0.byName }
        var matching: [Mark] = []
        var topicsLeft = Limits.comparedNamesMax / max(1, selector.terms.count)
        for mark in all.values {
            guard topicsLeft > 0 else { return nil }
            topicsLeft -= 1
            guard selector.matches(mark.name) else { continue }
            guard matching.count < countMax else { return nil }
            matching.append(mark)
        }
        return matching
    }

    /// The topic of a number; nil if it exists no more.
    func mark(_ number: Int64) -> Mark? {
        marks.read { marks in marks.names[number].flatMap { marks.byName[$0] } }
    }
}
