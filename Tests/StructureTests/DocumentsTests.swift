import Foundation
import Testing

/// The documents speak of files and types that are there: both get new names and places.
@Suite struct DocumentsTests {
    private static let documents = [
        "docs/ARCHITECTURE.md", "docs/CONCURRENCY.md", "README.md", "CONTRIBUTING.md",
    ]

    /// What stands between backquotes, outside of fenced blocks.
    private static func quoted(in document: String) throws -> [String] {
        let file = Repository.root.appendingPathComponent(document)
        let text = try String(contentsOf: file, encoding: .utf8)
        let prose = text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }
        return prose.flatMap { _, part in
            part.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    @Test(arguments: documents)
    func filesThatAreNamedAreThere(document: String) throws {
        let paths = (Repository.sources + Repository.tests).map { "/\($0.path)" }
        let missing = try Self.quoted(in: document).filter { name in
            name.hasSuffix(".swift") && !paths.contains { $0.hasSuffix("/\(name)") }
        }
        #expect(missing == [])
    }

    @Test(arguments: ["docs/ARCHITECTURE.md", "docs/CONCURRENCY.md"])
    func typesThatAreNamedAreThere(document: String) throws {
        let named = Set(
            try Self.quoted(in: document).filter { !$0.contains(" ") && !$0.contains("-") }
                .flatMap(Self.words)
                .filter { $0.first?.isUppercase == true && $0.contains(where: \.isLowercase) })
        #expect(named.count > 40)
        var missing = named
        for file in Repository.sources + Repository.tests {
            missing.subtract(Self.words(of: file.path))
            for line in file.code { missing.subtract(Self.words(of: line)) }
        }
        #expect(missing == [])
    }

    private static func words(of text: String) -> [String] {
        text.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.map { String($0)! }
    }
}
