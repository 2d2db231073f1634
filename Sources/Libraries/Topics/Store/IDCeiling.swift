internal import Glibc

/// The number below which ids were perhaps given out, kept in one small file.
///
/// It is raised far ahead of use, and the raise is on the disk before the first id below it is
/// given: written beside the file, synced, renamed over it, and the directory synced. A process
/// that dies between any two steps leaves the old ceiling or the new one.
///
/// One process at a time: the directory is locked as long as the object lives.
package final class IDCeiling: Sendable {
    /// The steps of a raise, in order.
    enum Step: CaseIterable, Sendable {
        case written, synced, renamed, directorySynced
    }

    /// The ceiling that was found, or 0 if there was none.
    package let found: UInt64
    private let directory: DirectoryHandle
    private let afterStep: @Sendable (Step) -> Void

    private static let name = "id-ceiling"
    private static let nextName = "id-ceiling.next"
    private static let heading = "belfry id ceiling "

    /// Opens the ceiling of a state directory, which must exist.
    ///
    /// - Throws: `StoreError` if the directory cannot be used, is in use by another process, or
    ///   holds a ceiling that cannot be read; its sentence says how to solve that.
    package convenience init(directory: String) throws(StoreError) {
        try self.init(directory: directory, afterStep: { _ in })
    }

    init(directory: String, afterStep: @escaping @Sendable (Step) -> Void) throws(StoreError) {
        self.afterStep = afterStep
        self.directory = try DirectoryHandle(path: directory)
        found = try Self.read(in: self.directory)
    }

    /// Has `ceiling` on the disk before it returns.
    ///
    /// - Throws: `StoreError` if the disk refuses; the ceiling then stays the same.
    package func raise(to ceiling: UInt64) throws(StoreError) {
        let text = Array("\(Self.heading)\(ceiling)\n".utf8)
        try directory.write(text, to: Self.nextName, afterWriting: { self.afterStep(.written) })
        afterStep(.synced)
        try directory.rename(Self.nextName, to: Self.name)
        afterStep(.renamed)
        try directory.sync()
        afterStep(.directorySynced)
    }

    private static func read(in directory: DirectoryHandle) throws(StoreError) -> UInt64 {
        guard let bytes = try directory.read(name, bytesMax: Limits.ceilingFileBytesMax) else {
            return 0
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(heading), text.hasSuffix("\n"),
            let id = EventID(decimal: text.dropFirst(heading.count).dropLast())
        else {
            throw StoreError(
                detail: "\(directory.path)/\(name) is not an id ceiling: it should be the one line "
                    + "\"\(heading)NUMBER\". Restore it from a backup, or, if this machine's clock "
                    + "was never set back, remove it: ids then continue from the clock")
        }
        return id.rawValue
    }
}
