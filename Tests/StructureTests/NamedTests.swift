import Foundation
import TestSupport

/// The tests that a table of a page names in its last column, as `Suite/test`.
struct NamedTests {
    /// The rows below a heading: cells without the outer ones.
    let rows: [[String]]

    /// The rows of the tables behind `heading` in a page at the top of the package.
    init(in page: String, behind heading: String) throws {
        let text = try String(
            contentsOf: Repository.root.appendingPathComponent(page), encoding: .utf8)
        let section = text.components(separatedBy: "\(heading)\n").dropFirst().joined()
        rows = section.components(separatedBy: "\n\n").flatMap { table in
            table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map {
                $0.components(separatedBy: " | ")
            }
        }.filter { !$0[0].hasPrefix("|--") }
    }

    /// The rows that name no test in their third cell.
    var withoutTests: [[String]] {
        rows.filter { $0.count != 3 || Self.tests(in: $0[2]).isEmpty }
    }

    /// The named tests that are in no file.
    var missing: [String] {
        rows.filter { $0.count == 3 }.flatMap { Self.tests(in: $0[2]) }.filter { test in
            let parts = test.components(separatedBy: "/")
            guard parts.count == 2 else { return true }
            return !Repository.tests.contains { file in
                file.lineText.has("struct \(parts[0])") && file.lineText.has("func \(parts[1])(")
            }
        }
    }

    private static func tests(in cell: String) -> [String] {
        cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }
            .map(\.element)
    }
}
