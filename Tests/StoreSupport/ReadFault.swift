package import Topics

/// A fault of an answer to a reader, planted on purpose.
package enum ReadFault: String, CaseIterable, Sendable {
    case dropsEvents, repeatsEvents, reordersEvents, hidesGaps

    /// The broken answer; nil where it would be the same.
    package func change(_ read: LogRead) -> LogRead? {
        switch (self, read) {
        case (.dropsEvents, .events(let events, let next, let isCutShort)) where events.count > 1:
            .events(Array(events.dropFirst()), next: next, isCutShort: isCutShort)
        case (.repeatsEvents, .events(let events, let next, let isCutShort)):
            .events(events + events.suffix(1), next: next, isCutShort: isCutShort)
        case (.reordersEvents, .events(let events, let next, let isCutShort)):
            .events(events.reversed(), next: next, isCutShort: isCutShort)
        case (.hidesGaps, .gap(_, let next)): .caughtUp(next: next)
        default: nil
        }
    }
}
