internal import Topics

/// Rows in columns, for people.
enum PrintedTable {
    /// Prints rows under their heads, each on one line: line ends in a cell are written out.
    static func print(_ heads: [String], _ rows: [[String]]) {
        let all = ([heads] + rows).map { $0.map { TerminalText.line($0) } }
        let widths = heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = cells.joined(separator: "  ")
            let end = line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.endIndex
            Output.standard.write("\(line[..<end])\n")
        }
    }
}

extension Timestamp {
    /// How long ago this was, in the largest unit of which it is one or more.
    func age(at now: Timestamp) -> String {
        let seconds = max(0, (now.microseconds - microseconds) / 1_000_000)
        for (unit, name) in [(Int64(86_400), "d"), (3_600, "h"), (60, "m")] where seconds >= unit {
            return "\(seconds / unit)\(name) ago"
        }
        return "\(seconds)s ago"
    }
}
