import Foundation
import TestSupport
import Testing

/// What the documentation comments and pages of the libraries show is compiled: it is in
/// `DocumentedExamples.swift`, line by line.
@Suite struct ExampleTests {
    private static let libraries = [
        "Protection", "Broadcasting", "Topics", "SQLiteStore", "Work",
    ]
    /// Has a file and a test of its own, `ServerArticleTests`.
    private static let apart = "ServerBus.md"

    /// Code without what its surroundings change: indentation, empty lines, runs of spaces.
    private static func essence(_ lines: some Sequence<some StringProtocol>) -> [String] {
        lines.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    }

    /// The blocks of Swift in a file: in its documentation comments, or in a page as they are.
    private static func blocks(of text: String, inComments: Bool) -> [[String]] {
        var (blocks, block): ([[String]], [String]?) = ([], nil)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = String(line)
            if inComments {
                let code = line.drop { $0 == " " }
                guard code.hasPrefix("///") else { continue }
                line = String(code.dropFirst(3))
            }
            switch line.trimmingCharacters(in: .whitespaces) {
            case "```swift": block = []
            case "```":
                if let block { blocks.append(essence(block)) }
                block = nil
            default: block?.append(line)
            }
        }
        return blocks
    }

    private static func files(of library: String) throws -> [String] {
        let folder = "Sources/Libraries/\(library)"
        let names = try #require(
            FileManager.default.enumerator(atPath: "\(PackageFiles.root)/\(folder)"))
        return names.compactMap { $0 as? String }.map { "\(folder)/\($0)" }
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }
            .filter { !$0.hasSuffix(apart) }
    }

    @Test(arguments: libraries) func whatIsShownIsCompiled(library: String) throws {
        let compiled = Self.essence(
            try PackageFiles.text("Tests/LibraryTests/DocumentedExamples.swift")
                .split(separator: "\n"))
        var count = 0
        for path in try Self.files(of: library) {
            let text = try PackageFiles.text(path)
            for block in Self.blocks(of: text, inComments: path.hasSuffix(".swift")) {
                count += 1
                #expect(compiled.contains(block), "\(path) shows what is not compiled: \(block)")
            }
        }
        #expect(count > 0)
    }
}
