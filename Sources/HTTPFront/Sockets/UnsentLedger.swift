internal import Telemetry

/// What answers that wait for slow readers keep in memory, counted against the budget.
///
/// A body that many answers share is counted once. Confined to its loop's thread.
final class UnsentLedger {
    private let memory: MemoryBudget
    private var sharers: [ObjectIdentifier: Int] = [:]

    init(memory: MemoryBudget) {
        self.memory = memory
    }

    /// Bytes that all loops' answers keep.
    var used: Int { memory.used(.unsent) }

    /// Whether they keep more than their share of the budget.
    var isShort: Bool { used > memory.bytesMax / HTTPFrontLimits.unsentMemoryFraction }

    /// Counts `extra` bytes and a body.
    func charge(_ body: ResponseBody, extra: Int) {
        memory.charge(extra, to: .unsent)
        switch body {
        case .empty: break
        case .bytes(let bytes): memory.charge(bytes.count, to: .unsent)
        case .shared(let shared):
            let count = sharers[ObjectIdentifier(shared.owner), default: 0]
            sharers[ObjectIdentifier(shared.owner)] = count + 1
            if count == 0 { memory.charge(shared.bytes.count, to: .unsent) }
        }
    }

    /// Takes back what `charge` counted for the same body.
    func release(_ body: ResponseBody, extra: Int) {
        memory.release(extra, from: .unsent)
        switch body {
        case .empty: break
        case .bytes(let bytes): memory.release(bytes.count, from: .unsent)
        case .shared(let shared):
            guard let count = sharers[ObjectIdentifier(shared.owner)] else { return }
            sharers[ObjectIdentifier(shared.owner)] = count == 1 ? nil : count - 1
            if count == 1 { memory.release(shared.bytes.count, from: .unsent) }
        }
    }
}
