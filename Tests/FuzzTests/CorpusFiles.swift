import Foundation
import TestSupport

extension ParserCheck {
    /// The folder of the files of all parsers.
    static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Corpus")

    /// The file of the inputs that are kept for this parser, as `CorpusText` has them.
    var corpusFile: URL { Self.corpus.appendingPathComponent("\(name).txt") }

    /// The inputs that are kept for this parser: none if it is new and has no file.
    func corpusText() throws -> CorpusText {
        try CorpusText(reading: TemporaryFolder.bytes(of: corpusFile.path) ?? [])
    }
}

extension CorpusText {
    /// The inputs that libFuzzer has in a folder, each a file.
    init(packing folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        self.init(
            of: try files.map { file in
                guard let bytes = TemporaryFolder.bytes(of: file.path) else {
                    throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: file.path])
                }
                return bytes
            })
    }

    /// Writes each input to a file of its own, named by the number of its line.
    ///
    /// - Parameter folder: A folder that exists, and is empty.
    func unpack(into folder: URL) throws {
        for (index, input) in inputs.enumerated() {
            try Data(input).write(to: folder.appendingPathComponent("\(index + 1)"))
        }
    }

    /// Replaces the whole file, or leaves it as it was.
    func write(to file: URL) throws {
        try Data(bytes).write(to: file, options: .atomic)
    }
}
