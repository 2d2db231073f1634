import TestSupport

/// The pages of the HTTP interface with the tables in them.
struct ReferencePages {
    /// One table of a page.
    struct Table {
        /// The cells below its head, by rows.
        let rows: [[String]]
        /// The first cell of its head.
        let head: String

        /// What stands between backquotes in the first cells of its rows.
        var names: Set<String> { Set(rows.flatMap { ReferencePages.quoted(in: $0[0]) }) }
    }

    /// The page with every request, parameter and header.
    let overview: String
    /// The text of the others, by their paths.
    let texts: [String: String]
    /// Every table, also those of the overview, by the paths of their pages.
    let tables: [String: [Table]]

    init() throws {
        let paths = PackageFiles.httpPages
        var texts: [String: String] = [:]
        for path in paths { texts[path] = try PackageFiles.text(path) }
        tables = texts.mapValues(Self.tables)
        overview = texts.removeValue(forKey: paths[0])!
        self.texts = texts
    }

    /// The tables whose rows are the members of a JSON object, or the fields of an event stream.
    var memberTables: [Table] {
        tables.values.joined().filter { $0.head.hasPrefix("Member of ") }
    }

    /// What stands between backquotes in a text.
    static func quoted(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private static func tables(of page: String) -> [Table] {
        page.split(separator: "\n", omittingEmptySubsequences: false)
            .split { !$0.hasPrefix("|") }
            .map { lines in
                let rows = lines.map { line in
                    line.dropFirst(2).dropLast(2).split(
                        separator: " | ", omittingEmptySubsequences: false
                    ).map(String.init)
                }
                return Table(rows: Array(rows.dropFirst(2)), head: rows[0][0])
            }
    }
}
