/// The length of the journal's file, worked out from the pages that SQLite reports with each
/// commit. So nobody has to ask the system while somebody publishes.
struct JournalLength {
    /// Bytes on the disk.
    private(set) var bytes: Int
    private let pageBytes: Int
    /// Pages in it after the last commit. Before the first commit, a number above that of any
    /// journal: the journal may begin anew.
    private var pages = Int.max

    /// - Parameters:
    ///   - bytes: How long it is now.
    ///   - pageBytes: The size of a page of the store.
    init(bytes: Int, pageBytes: Int) {
        self.bytes = bytes
        self.pageBytes = pageBytes
    }

    /// Notes a commit after which it has so many pages.
    mutating func committed(pages: Int) {
        // SQLite cuts a journal that begins anew to the length that it may keep.
        if pages < self.pages { bytes = min(bytes, Limits.journalBytesMax) }
        bytes = max(bytes, Self.headerBytes + pages * (Self.pageHeaderBytes + pageBytes))
        self.pages = pages
    }

    /// All of it is in the file of the store, and nothing in it.
    mutating func emptied() { (bytes, pages) = (0, 0) }

    // Source: https://www.sqlite.org/fileformat2.html#walformat
    private static let headerBytes = 32
    private static let pageHeaderBytes = 24
}
