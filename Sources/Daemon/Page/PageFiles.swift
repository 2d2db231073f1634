/// The files of the page and the documents, for a server whose paths may have a prefix.
public struct PageFiles: Sendable {
    private let files: [String: PageFile]

    /// The files for this prefix, such as `/bus`; empty for none.
    ///
    /// - Complexity: O(bytes) with a prefix, O(1) without.
    public init(below prefix: String = "") {
        files = prefix.isEmpty ? PageFile.all : PageFile.all.mapValues { $0.below(prefix) }
    }

    /// The page itself, which asks for the other files.
    public var start: PageFile { files["index.html"]! }

    /// The files that the page and the documents ask for, by their names; nil for an unknown name.
    public func named(_ name: String) -> PageFile? {
        name.hasSuffix(".html") ? nil : files[name]
    }

    /// The documents for people, by the names of their addresses; nil for an unknown name.
    public func document(_ name: String) -> PageFile? {
        name == "index" ? nil : files["\(name).html"]
    }
}
