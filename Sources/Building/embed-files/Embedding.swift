internal import Foundation

/// Writes a Swift source with the texts of files: `embed-files OUTPUT FILE…`, as the plugin
/// `EmbedFiles` calls it while a target is built.
@main
enum Embedding {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let output = arguments.first else {
                throw EmbeddingFailure("it is called as: embed-files OUTPUT FILE…")
            }
            let source = source(of: try arguments.dropFirst().map(row).joined())
            // An equal source stays as it is, and is not compiled again: SwiftPM calls this again
            // when this program was linked anew.
            guard (try? String(contentsOfFile: output, encoding: .utf8)) != source else { return }
            try source.write(toFile: output, atomically: true, encoding: .utf8)
        } catch {
            let sentence = "embed-files: \(error)\n"
            _ = write(STDERR_FILENO, sentence, sentence.utf8.count)
            exit(1)
        }
    }

    /// Literals of text: the compiler takes milliseconds for them, and copies nothing at a start.
    private static func source(of rows: String) -> String {
        """
        /// The files of this module, by their names.
        enum EmbeddedFiles {
            static let all: [String: String] = [
        \(rows)    ]
        }

        """
    }

    /// The file as an element of the dictionary: its name and its text as Swift writes them.
    private static func row(of path: String) throws -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let isDocument = file.hasSuffix(".md")
        let name = isDocument ? "\(file.dropLast(3)).html" : file
        let embedded = isDocument ? try Document.named(file).page(of: text) : text
        return "        \(name.debugDescription): \(embedded.debugDescription),\n"
    }
}

/// Why nothing was written, as a sentence for the person who builds.
struct EmbeddingFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
