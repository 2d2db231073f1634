import Foundation
import TestSupport
import Testing

/// Replays what `make fuzz` has kept: whatever sanitizer the tests run under watches it too.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Corpus")

    @Test(arguments: ParserCheck.all.map(\.name))
    func whatWasKeptHolds(name: String) throws {
        let parser = try #require(ParserCheck.all.first { $0.name == name })
        let folder = Self.corpus.appendingPathComponent(name)
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            // To the byte, so that the address sanitizer sees a reader that goes one too far.
            let data = try Data(contentsOf: file)
            let input = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
            defer { input.deallocate() }
            data.copyBytes(to: input)
            #expect(throws: Never.self, "\(name)/\(file.lastPathComponent)") {
                try parser.check(UnsafeRawBufferPointer(input))
            }
        }
    }

    @Test func everyFolderOfInputsHasItsParser() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(ParserCheck.all.map(\.name)))
    }

    /// A check that cannot fail finds nothing.
    @Test func aPropertyThatDoesNotHoldIsTold() {
        #expect(throws: Broken.self) { try hold(1 > 2, "one is less than two") }
        #expect(throws: Broken.self) { try agree("a", "b", "two letters") }
    }
}
