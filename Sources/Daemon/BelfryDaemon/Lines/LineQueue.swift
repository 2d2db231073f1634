/// Lines on their way to one place: those that wait, whether a thread writes, and the number of lost
/// ones.
///
/// A machine without lock, clock or call of the system. Bytes leave it once they were written, so
/// that a line of which a part was written is completed before the next one begins.
struct LineQueue {
    private var waiting: [UInt8] = []
    private var start = 0
    private var missing = 0
    private var isUnderWay = false
    private var isBlocked: Bool
    private var isTended = false
    private let isLeftToTender: Bool
    private let bytesMax: Int

    /// A queue of so many bytes; one line always fits into an empty one.
    ///
    /// - Parameters:
    ///   - isLeftToTender: Whether a write may wait, so that only the thread for it writes.
    init(bytesMax: Int, isLeftToTender: Bool) {
        self.bytesMax = bytesMax
        self.isLeftToTender = isLeftToTender
        isBlocked = isLeftToTender
    }

    var isEmpty: Bool { start == waiting.count }

    private var bytes: Int { waiting.count - start }

    /// Whether lines that can wait elsewhere should come: half of it is left for those that cannot.
    var hasRoom: Bool { missing == 0 && bytes <= bytesMax / 2 }

    /// Adds lines, each with its end.
    ///
    /// - Returns: How many are lost, as are all that come before half of the queue is free again.
    mutating func add(_ lines: String) -> Int {
        guard missing == 0, isEmpty || bytes + lines.utf8.count <= bytesMax else {
            let lost = Self.lines(in: lines.utf8)
            missing += lost
            return lost
        }
        waiting += lines.utf8
        return 0
    }

    /// How many lines these are.
    static func lines(in text: some Sequence<UInt8>) -> Int {
        text.count { $0 == UInt8(ascii: "\n") }
    }

    /// The next bytes to write, for a thread that adds lines; nil if it is to leave them to others.
    mutating func takeInPassing(atMost count: Int) -> [UInt8]? {
        isBlocked || isTended ? nil : take(count)
    }

    /// The next bytes to write, for a thread that tends the queue; nil if its task is done for now.
    mutating func take(atMost count: Int) -> [UInt8]? {
        guard let bytes = take(count) else {
            isTended = false
            return nil
        }
        return bytes
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard !isUnderWay, !isEmpty else { return nil }
        isUnderWay = true
        return Array(waiting[start..<min(waiting.count, start + count)])
    }

    /// So many of the bytes that were taken are written; `isBlocked` if no more go in for now.
    ///
    /// - Returns: The number of lost lines that are to be told at this place; 0 for none.
    mutating func wrote(_ count: Int, isBlocked: Bool) -> Int {
        isUnderWay = false
        self.isBlocked = isBlocked || isLeftToTender
        // It may have been given up meanwhile.
        start = min(waiting.count, start + count)
        if isEmpty {
            waiting.removeAll(keepingCapacity: waiting.capacity < bytesMax / 2)
            start = 0
        } else if start > waiting.count / 2 {
            waiting.removeFirst(start)
            start = 0
        }
        guard missing > 0, bytes <= bytesMax / 2 else { return 0 }
        defer { missing = 0 }
        return missing
    }

    /// Whether a thread has to be woken to write the waiting lines. It tends the queue from then
    /// on.
    mutating func needsTender() -> Bool {
        guard !isEmpty, !isUnderWay, !isTended else { return false }
        isTended = true
        return true
    }

    /// Gives up the waiting lines, and returns them; the first one may be without its beginning.
    mutating func abandon() -> [UInt8] {
        defer {
            waiting = []
            start = 0
        }
        return Array(waiting[start...])
    }
}
