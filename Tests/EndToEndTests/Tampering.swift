/// A fault between the bus and a poller, which a checker has to find: it changes one answer.
struct Tampering {
    enum Fault: CaseIterable {
        case drops, duplicates, reorders, invents, hidesGap, movesCursorBack
    }

    private let fault: Fault
    /// Whether there was an answer that it could change.
    private(set) var isDone = false

    init(_ fault: Fault) {
        self.fault = fault
    }

    /// Changes the first answer that this fault can change.
    mutating func apply(to answer: inout PollAnswer, _ history: PollHistory) {
        guard !isDone else { return }
        let count = answer.deliveries.count
        switch fault {
        case .drops where count > 0 && answer.gap == nil:
            answer.deliveries.remove(at: count / 2)
        case .duplicates where count > 0:
            answer.deliveries.append(answer.deliveries[count - 1])
        case .reorders where count > 1:
            answer.deliveries.swapAt(count - 2, count - 1)
        case .invents where count > 0:
            let last = answer.deliveries[count - 1]
            answer.deliveries[count - 1] = Delivery(
                id: last.id, topic: last.topic, type: last.type, payload: "invented")
        case .hidesGap where answer.gap != nil:
            answer.gap = nil
        case .movesCursorBack where history.cursor > history.start:
            answer = PollAnswer(deliveries: [], gap: nil, cursor: history.start)
        default:
            return
        }
        isDone = true
    }
}
