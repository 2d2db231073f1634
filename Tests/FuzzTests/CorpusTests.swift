import Foundation
import TestSupport
import Testing

/// Replays what `make fuzz` has kept: whatever sanitizer the tests run under watches it too.
@Suite struct CorpusTests {
    @Test(arguments: ParserCheck.all.map(\.name))
    func whatWasKeptHolds(name: String) throws {
        let parser = try #require(ParserCheck.all.first { $0.name == name })
        let inputs = try parser.corpusText().inputs
        #expect(!inputs.isEmpty)
        for (index, bytes) in inputs.enumerated() {
            // To the byte, so that the address sanitizer sees a reader that goes one too far.
            let input = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            defer { input.deallocate() }
            input.copyBytes(from: bytes)
            #expect(throws: Never.self, "\(name).txt:\(index + 1)") {
                try parser.check(UnsafeRawBufferPointer(input))
            }
        }
    }

    @Test func everyFileOfInputsHasItsParser() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: ParserCheck.corpus.path)
        #expect(Set(files) == Set(ParserCheck.all.map(\.corpusFile.lastPathComponent)))
    }

    /// A check that cannot fail finds nothing.
    @Test func aPropertyThatDoesNotHoldIsTold() {
        #expect(throws: Broken.self) { try hold(1 > 2, "one is less than two") }
        #expect(throws: Broken.self) { try agree("a", "b", "two letters") }
    }
}
