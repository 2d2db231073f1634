package import Telemetry

/// A read of many topics that its reader goes on with for the next answer. It counts for the bus's
/// memory until then.
///
/// Belongs to one reader. A reader that may not keep one looks at all topics again.
package final class ResumableRead: Sendable {
    package let read: SelectorRead
    private let bytes: Int
    private let memory: MemoryBudget

    /// Keeps a read, if all that are kept stay within their part of the memory.
    package init?(_ read: SelectorRead, in memory: MemoryBudget) {
        bytes = read.memoryBytes
        guard memory.used(.reads) + bytes <= memory.bytesMax / Limits.readsMemoryFraction else {
            return nil
        }
        self.read = read
        self.memory = memory
        memory.charge(bytes, to: .reads)
    }

    deinit { memory.release(bytes, from: .reads) }
}
