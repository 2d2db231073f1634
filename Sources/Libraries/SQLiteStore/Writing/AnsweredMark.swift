internal import Glibc
internal import Protection
internal import Topics

/// The highest id that was answered, in memory that belongs to a file: a note costs no call of the
/// system, and outlives the process however that ends.
///
/// A start that finds less in the store has lost events. After a loss of power the mark may be
/// older than the last answer. It is never ahead of the commits, since it is noted after them.
///
/// Belongs to the writer's thread.
final class AnsweredMark {
    private let memory: UnsafeMutableRawPointer

    /// The mark in an open file, behind its record; it is zero in a file that has none.
    init(_ file: Int32) throws(Errno) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .last }
        if status.st_size < Limits.lifeFileBytes {
            let zero = [UInt8](repeating: 0, count: Limits.answeredMarkBytes)
            guard pwrite(file, zero, zero.count, off_t(Limits.lifeRecordBytes)) == zero.count
            else { throw .last }
        }
        let protection = PROT_READ | PROT_WRITE
        guard let memory = mmap(nil, Limits.lifeFileBytes, protection, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw .last }
        self.memory = memory
    }

    deinit {
        munmap(memory, Limits.lifeFileBytes)
    }

    /// Notes that events up to an id are about to be answered. Ids rise.
    func note(_ id: EventID) {
        // Aligned, so a process that is killed leaves the old number or the new one.
        memory.storeBytes(
            of: id.rawValue.littleEndian, toByteOffset: Limits.lifeRecordBytes, as: UInt64.self)
    }

    /// The mark in the bytes of a file.
    static func read(_ bytes: [UInt8]) -> EventID {
        let mark = bytes[Limits.lifeRecordBytes...].reversed().reduce(0 as UInt64) {
            $0 << 8 | UInt64($1)
        }
        return EventID(rawValue: min(mark, EventID.max.rawValue))
    }
}
