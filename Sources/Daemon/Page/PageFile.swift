internal import Digests

/// One file of the page that browsers are shown: its bytes are part of the program.
///
/// Promises that equal bytes have an equal tag, and different ones different tags.
public struct PageFile: Sendable {
    /// Its media type, as `Content-Type` has it.
    public let mediaType: String
    /// What it holds.
    public let bytes: [UInt8]
    /// Its entity tag, with the quotes (RFC 9110 section 8.8.3).
    public let entityTag: String

    /// Nil where the table of media types has none for the file: what an editor leaves behind is no part
    /// of the page.
    private init?(_ name: String, _ text: String) {
        guard let type = Self.mediaTypes[String(name.split(separator: ".").last ?? "")] else {
            return nil
        }
        mediaType = type
        bytes = Array(text.utf8)
        let digest = bytes.withUnsafeBytes { Digest.sha256($0) }
        entityTag = "\"\(Base64.text(Array(digest.prefix(18))))\""
    }

    /// The page itself, which asks for the other files.
    public static let start = all["index.html"]!

    /// The files that the page and the documents ask for, by their names; nil for an unknown name.
    public static func named(_ name: String) -> PageFile? {
        name.hasSuffix(".html") ? nil : all[name]
    }

    /// The documents for people, by the names of their addresses; nil for an unknown name.
    public static func document(_ name: String) -> PageFile? {
        name == "index" ? nil : all["\(name).html"]
    }

    /// Every file of the folder `Files`, a document as the page that is made of it.
    private static let all = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.all.compactMap { name, text in
            PageFile(name, text).map { (name, $0) }
        })

    /// By what their names end in.
    private static let mediaTypes = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    ]
}
