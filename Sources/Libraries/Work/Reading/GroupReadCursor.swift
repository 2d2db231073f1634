internal import Protection
internal import Topics

/// The place of a group of many topics in the log, kept from one read to the next.
///
/// The turn that takes a read has it alone until it is kept here again.
final class GroupReadCursor: Sendable {
    private let kept = Protected<ResumableRead?>(nil)

    /// The read that has told everything up to `position`, to go on with; nil where there is none.
    func take(at position: LogPosition, _ limit: ReadLimit) -> ResumableRead? {
        let last = kept.write { kept in
            defer { kept = nil }
            return kept
        }
        guard let last, last.read.goesOn(at: position, limit) else { return nil }
        return last
    }

    /// Keeps a read that has more to tell.
    func keep(_ read: SelectorRead, behind found: LogRead, of bus: EventBus) {
        guard case .events(_, _, isCutShort: true) = found else { return }
        let next = ResumableRead(read, in: bus.memory)
        kept.write { $0 = next }
    }
}
