import Foundation
import TestSupport
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
                .flatMap(CodeText.words)
                .filter { $0.first?.isUppercase == true && $0.contains(where: \.isLowercase) })
        #expect(named.count > 40)
        #expect(named.subtracting(Self.wordsOfCode) == [])
    }

    private static let wordsOfCode = Set(
        (Repository.sources + Repository.plugins + Repository.tests).flatMap {
            CodeText.words(of: $0.path) + CodeText.words(of: $0.codeText)
        })

    /// Every page at the top of the package, in its `docs`, and beside its benchmarks.
    private static let pages = ["", "docs/", "Benchmarks/"].flatMap { folder in
        let path = Repository.root.appendingPathComponent(folder).path
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        return (names ?? []).filter { $0.hasSuffix(".md") }.map { folder + $0 }.sorted()
    }

    @Test(arguments: pages)
    func linksLeadToFilesAndHeadingsThatAreThere(page: String) throws {
        #expect(Self.pages.contains("README.md") && Self.pages.contains("docs/http-api.md"))
        let file = Repository.root.appendingPathComponent(page)
        let text = try String(contentsOf: file, encoding: .utf8)
        for link in text.matches(of: /\]\(([^)\s]+)\)/).map(\.output.1)
        where !link.contains("://") {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            let path = String(parts[0])
            let target =
                path.isEmpty ? file : file.deletingLastPathComponent().appendingPathComponent(path)
            #expect(FileManager.default.fileExists(atPath: target.path), "\(page): \(link)")
            guard parts.count == 2, let linked = try? String(contentsOf: target, encoding: .utf8)
            else { continue }
            #expect(Self.anchors(of: linked).contains(String(parts[1])), "\(page): \(link)")
        }
    }

    @Test func theOverviewOfTheHTTPInterfaceLeadsToEachOfItsPages() throws {
        let pages = Self.pages.filter { $0.hasPrefix("docs/http-") }
        #expect(pages == PackageFiles.httpPages.sorted())
        let overview = try PackageFiles.text(PackageFiles.httpPages[0])
        for page in PackageFiles.httpPages.dropFirst() {
            let name = page.dropFirst("docs/".count)
            #expect(overview.contains("](\(name)) |"), "\(page)")
        }
    }

    /// Benchmarks write into `.build-bench/results`, or each run would change committed pages.
    @Test func benchmarksHaveOnePageOfFigures() {
        #expect(Self.pages.filter { $0.hasPrefix("Benchmarks/") } == ["Benchmarks/FIGURES.md"])
    }

    @Test func theTargetsThatMeasureFiguresAreThere() throws {
        let makefile = try String(
            contentsOf: Repository.root.appendingPathComponent("Makefile"), encoding: .utf8)
        let targets = Set(
            try Self.quoted(in: "Benchmarks/FIGURES.md")
                .compactMap { $0.firstMatch(of: /make ([a-z-]+)/)?.output.1 })
        #expect(targets.count > 5)
        for target in targets { #expect(makefile.contains("\n\(target):"), "\(target)") }
    }

    /// The names that headings of a page have in links.
    private static func anchors(of text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
            let heading = line.drop { $0 == "#" }.dropFirst().lowercased()
            return heading.replacing(" ", with: "-").filter {
                $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_"
            }
        }
    }
}
