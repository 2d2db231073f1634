import Foundation
import Testing

/// `SECURITY.md` promises a test for each threat: they have to be there, under these names.
@Suite struct ThreatsTests {
    private static func page() throws -> String {
        try String(
            contentsOf: Repository.root.appendingPathComponent("SECURITY.md"), encoding: .utf8)
    }

    /// The rows of the table of threats: cells without the outer ones.
    private static func rows() throws -> [[String]] {
        let section = try #require(
            try page().components(separatedBy: "## Threats and what stops them\n").last)
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map {
            $0.components(separatedBy: " | ")
        }
    }

    /// `Suite/test`, as it is named in a cell.
    private static func tests(in cell: String) -> [(suite: String, name: String)] {
        cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
            let parts = $0.element.components(separatedBy: "/")
            return (parts[0], parts.count == 2 ? parts[1] : "")
        }
    }

    @Test func everyThreatHasATest() throws {
        let rows = try Self.rows()
        #expect(rows.count > 15)
        for row in rows {
            #expect(row.count == 3 && !Self.tests(in: row[2]).isEmpty, "\(row)")
        }
    }

    @Test func everyTestThatIsNamedIsThere() throws {
        for (suite, name) in try Self.rows().flatMap({ Self.tests(in: $0[2]) }) {
            let found = Repository.tests.contains { file in
                file.code.contains { $0.contains("struct \(suite)") }
                    && file.code.contains { $0.contains("func \(name)(") }
            }
            #expect(found, "\(suite)/\(name) is in no file of the tests")
        }
    }
}
