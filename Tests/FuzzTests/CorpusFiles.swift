import Foundation

extension ParserCheck {
    /// The folder of the files of all parsers.
    static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Corpus")

    /// The file of the inputs that are kept for this parser, as `CorpusText` has them.
    var corpusFile: URL { Self.corpus.appendingPathComponent("\(name).txt") }

    /// The inputs that are kept for this parser: none if it is new and has no file.
    func corpusText() throws -> CorpusText {
        guard FileManager.default.fileExists(atPath: corpusFile.path) else {
            return CorpusText(of: [])
        }
        return try CorpusText(reading: Array(Data(contentsOf: corpusFile)))
    }
}

extension CorpusText {
    /// The inputs that libFuzzer has in a folder, each a file.
    init(packing folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        self.init(
            of: try files.map { file in
                // Foundation does not free what it would have read an empty file into.
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                let size = (attributes[.size] as? any BinaryInteger).map { Int($0) }
                return size == 0 ? [] : Array(try Data(contentsOf: file))
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
