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

    /// Whether the answers of all loops keep more than their share of the budget.
    var isShort: Bool { memory.used(.unsent) > share }

    /// Bytes that must go until they keep seven eighths of their share.
    var excess: Int { memory.used(.unsent) - share / 8 * 7 }

    private var share: Int { memory.bytesMax / HTTPFrontLimits.unsentMemoryFraction }

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
