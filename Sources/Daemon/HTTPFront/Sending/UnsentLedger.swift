internal import Telemetry

/// The memory that answers for slow readers keep, counted against the budget.
///
/// A body that many answers share is counted once, with the most bytes of it that any of them sends,
/// until the last of them is gone. Confined to its loop's thread.
final class UnsentLedger {
    private let memory: MemoryBudget
    private var shares: [ObjectIdentifier: Share] = [:]
    /// The time at which a search for slow readers that found nobody is repeated, and the bytes of
    /// unsent answers at that search.
    private var slowSearch: (repeatedAt: UInt64, used: Int) = (0, 0)
    /// The time at which a search for peers that read nothing is repeated.
    private var stalledSearchAt: UInt64 = 0

    /// The count for an object that several answers send from.
    private struct Share {
        var answers = 0
        var bytes = 0

        /// Adds an answer that sends so many bytes; returns how many more are to be counted.
        mutating func add(bytes more: Int) -> Int {
            answers += 1
            defer { bytes = max(bytes, more) }
            return max(0, more - bytes)
        }
    }

    init(memory: MemoryBudget) {
        self.memory = memory
    }

    /// Whether connections are to be closed: the answers of all loops keep more than their share of
    /// the budget. A search that found nobody is repeated some time later, or where much has come.
    func isShort(at now: UInt64) -> Bool {
        let used = memory.used(.unsent)
        return used > bytesMax
            && (now >= slowSearch.repeatedAt || used - slowSearch.used >= bytesMax / 8)
    }

    /// No slow connection was found to be closed.
    func foundNoneSlow(at now: UInt64) {
        slowSearch = (Self.next(now), memory.used(.unsent))
    }

    /// Bytes that must go until they keep seven eighths of their share.
    var excess: Int { memory.used(.unsent) - bytesMax / 8 * 7 }

    /// Bytes for peers that read nothing that must go until so many more have room in their share.
    /// None for some time after a search that found nobody.
    func excess(with bytes: Int, at now: UInt64) -> Int {
        now < stalledSearchAt ? 0 : max(0, memory.used(.unsent) + bytes - bytesMax)
    }

    /// No peer was found that reads nothing.
    func foundNoneStalled(at now: UInt64) {
        stalledSearchAt = Self.next(now)
    }

    private static func next(_ now: UInt64) -> UInt64 {
        now + HTTPFrontLimits.shedIntervalMilliseconds
    }

    private var bytesMax: Int { memory.bytesMax / HTTPFrontLimits.unsentMemoryFraction }

    /// Counts `extra` bytes and a body.
    func charge(_ body: ResponseBody, extra: Int) {
        memory.charge(extra, to: .unsent)
        switch body {
        case .empty: break
        case .bytes(let bytes): memory.charge(bytes.count, to: .unsent)
        case .shared(let shared) where shared.isCounted: break
        case .shared(let shared):
            let more = shares[ObjectIdentifier(shared.owner), default: Share()]
                .add(bytes: shared.bytes.count)
            memory.charge(more, to: .unsent)
        }
    }

    /// Takes back the bytes that `charge` counted for the same body.
    func release(_ body: ResponseBody, extra: Int) {
        memory.release(extra, from: .unsent)
        switch body {
        case .empty: break
        case .bytes(let bytes): memory.release(bytes.count, from: .unsent)
        case .shared(let shared) where shared.isCounted: break
        case .shared(let shared):
            let owner = ObjectIdentifier(shared.owner)
            guard var share = shares[owner] else { return }
            share.answers -= 1
            shares[owner] = share.answers == 0 ? nil : share
            if share.answers == 0 { memory.release(share.bytes, from: .unsent) }
        }
    }
}
