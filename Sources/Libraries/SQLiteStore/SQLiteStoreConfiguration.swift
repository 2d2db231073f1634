/// How a store on SQLite keeps its events.
public struct SQLiteStoreConfiguration: Equatable, Sendable {
    /// The moment from which on a commit is certain to be on the disk.
    public enum Sync: String, Equatable, Sendable, CaseIterable {
        /// Within about a second of the commit, when the journal is synced. The end of the process
        /// at any moment loses nothing. A power loss may lose the last commits, and subscribers are
        /// told so.
        case normal
        /// Before anybody learns of the commit: a power loss loses nothing either.
        case full
    }

    /// The file; its folder has to exist.
    public var path: String
    /// When commits are synced.
    public var sync: Sync
    /// The bytes that the file may take on the disk. Beyond them, the topics furthest above an
    /// equal share lose their oldest events. The journal beside it takes up to about 32 MiB, and as
    /// much as the largest commits or a long read of another program need beyond that.
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
