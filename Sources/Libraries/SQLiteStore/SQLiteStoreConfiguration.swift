/// How a store on SQLite keeps its events.
public struct SQLiteStoreConfiguration: Equatable, Sendable {
    /// When what was committed is certain to be on the disk.
    public enum Sync: String, Equatable, Sendable, CaseIterable {
        /// When the journal is moved into the file: the end of the process at any moment loses
        /// nothing, a power loss perhaps the last commits, which subscribers are then told.
        case normal
        /// Before anybody learns of it: a power loss loses nothing either.
        case full
    }

    /// The file; its folder has to exist.
    public var path: String
    /// When commits are synced.
    public var sync: Sync
    /// What the file may take on the disk, in bytes; beyond it the topics furthest above an equal
    /// share lose their oldest events. The journal beside it may take as much as a few commits.
    public var sizeBytesMax: Int
    /// Vanished topics whose losses are still told apart.
    public var tombstonesMax: Int

    /// The smallest `sizeBytesMax` that can be chosen.
    public static let sizeBytesMin = Limits.sizeBytesMin

    /// A store at `path`, with the defaults: a file of up to 4 GiB.
    public init(
        path: String, sync: Sync = .normal, sizeBytesMax: Int = 4 << 30,
        tombstonesMax: Int = 10_000
    ) {
        self.path = path
        self.sync = sync
        self.sizeBytesMax = sizeBytesMax
        self.tombstonesMax = tombstonesMax
    }
}
