/// Bytes that things take in memory beside their payload, as the memory bound counts them.
///
/// Measured with glibc's allocator on x86-64 by filling a log and dividing the growth of its heap.
/// `CountedMemoryTests` fills a bus, and finds no more taken than counted.
enum Overhead {
    /// An `Event` (80), the head of its `Payload` (32), two allocator heads (16), its place in the
    /// ring of its topic, which may be half empty (16), and its part of a removal mark (16).
    static let eventBytes = 160
    /// The shared object of the fields: its head and the allocator's, in steps of 16 bytes.
    static let attributesBytes = (MemoryLayout<MetadataTexts>.size + 8 + 16 + 8 + 15) / 16 * 16
    /// The parts of an event beside the fields: an object of attributes and an expiry.
    static let extrasBytes = 48
    /// The head of a list of attributes, and the bytes that the allocator rounds up.
    static let attributeListBytes = 64
    /// A topic: its record, its name, its places in the tables.
    static let topicBytes = 1_024
    /// A tombstone, which a vanished topic leaves behind.
    static let tombstoneBytes = 256
    /// A term of a selector of several, beside its text: its place in the list, and in the record
    /// of a group. Measured in a daemon as the resident memory that 700 groups of 128 terms (`PUT
    /// /groups/gN?of=…`) take more than 700 of one, for each term: 41 bytes with texts of 12 bytes,
    /// 121 with 28 and 204 with 97.
    static let termBytes = 96
    /// A name of a selector that has names alone, which may be half of the places of their set.
    static let listedNameBytes = 64
    /// A pattern in one index of selectors, and each of its segments there: a node with its table
    /// of others. Measured as the memory that the same groups take more once somebody waits for a
    /// job of each (`POST /groups/gN/next?wait=300`), for each term: 610 to 821 bytes with four
    /// segments that have nothing in common, 1,298 with seven.
    static let indexedTermBytes = 80
    static let indexedSegmentBytes = 208
    /// A name in such an index, whose table may be half empty, and has grown: 66 to 110 bytes.
    static let indexedNameBytes = 128
    /// A key of a publish: its entry in a table that may be half empty, and its end in a heap.
    static let keyBytes = 256
    /// The head of held events, beside its fields: the object, and its entries in two tables that may be half
    /// empty.
    static let heldBytes = 448
    /// The memory of how held events ended.
    static let endingBytes = 160
    /// A batch in the store's queue, even if it is empty.
    static let queuedBatchBytes = 256

    /// Text of up to 15 bytes is kept in place.
    static func ofText(_ text: String?) -> Int {
        guard let text, text.utf8.count > 15 else { return 0 }
        return 48 + text.utf8.count
    }
}
