internal import Glibc
internal import Telemetry

/// A request's body as it arrives, counted against the memory budget.
///
/// Grows by doubling, so that a client which declares much and sends nothing costs nothing.
struct BodyBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private let memory: MemoryBudget

    /// How many bytes have arrived.
    private(set) var count = 0

    /// An empty body.
    init(memory: MemoryBudget) {
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        self.memory = memory
    }

    deinit {
        memory.release(storage.count, from: .bodies)
        free(storage.baseAddress)
    }

    /// The bytes, valid until the body changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[0..<count]) }

    /// Whether `more` bytes can be taken without bodies filling more than their share of memory.
    func hasRoom(for more: Int) -> Bool {
        let others = memory.used(.bodies) - storage.count
        let bytesMax = memory.bytesMax / HTTPFrontLimits.bodiesMemoryFraction
        return others == 0 || others + count + more <= bytesMax
    }

    /// Adds bytes; `bytesMax` is the size beyond which there is no use in room.
    mutating func append(_ bytes: UnsafeRawBufferPointer, bytesMax: Int) {
        if count + bytes.count > storage.count {
            grow(for: count + bytes.count, bytesMax: bytesMax)
        }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Frees the bytes that have arrived.
    mutating func clear() {
        memory.release(storage.count, from: .bodies)
        free(storage.baseAddress)
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
    }

    private mutating func grow(for needed: Int, bytesMax: Int) {
        let capacity = max(needed, min(bytesMax, storage.count * 2))
        // A large block keeps its pages wherever it moves to, and nothing is copied.
        guard let larger = realloc(storage.baseAddress, capacity) else {
            fatalError("no memory for a body of \(capacity) bytes")
        }
        memory.charge(capacity - storage.count, to: .bodies)
        storage = UnsafeMutableRawBufferPointer(start: larger, count: capacity)
    }
}
