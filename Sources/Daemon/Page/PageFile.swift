internal import Digests

/// One file of the page that browsers are shown: its bytes are part of the program.
///
/// Promises that equal bytes have an equal tag, and different ones different tags.
public struct PageFile: Sendable {
    /// Its media type, as `Content-Type` has it.
    public let mediaType: String
    /// Its content.
    public let bytes: [UInt8]
    /// Its entity tag, with the quotes (RFC 9110 section 8.8.3).
    public let entityTag: String

    /// Nil if the table of media types has none for the file: a file that an editor leaves behind
    /// is no part of the page.
    private init?(_ name: String, _ text: String) {
        guard let type = Self.mediaTypes[String(name.split(separator: ".").last ?? "")] else {
            return nil
        }
        self.init(mediaType: type, bytes: Array(text.utf8))
    }

    private init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
        let digest = bytes.withUnsafeBytes { Digest.sha256($0) }
        entityTag = "\"\(Base64.text(Array(digest.prefix(18))))\""
    }

    /// Every file of the folder `Files`, a document as the page that is made of it.
    static let all = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.all.compactMap { name, text in
            PageFile(name, text).map { (name, $0) }
        })

    /// The same file for a server whose paths have this prefix: an attribute of HTML that begins with a
    /// slash is a path. Scripts look at their own address.
    func below(_ prefix: String) -> PageFile {
        guard mediaType.hasPrefix("text/html") else { return self }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 16)
        for byte in bytes {
            if byte == UInt8(ascii: "/"), text.suffix(2).elementsEqual("=\"".utf8) {
                text += prefix.utf8
            }
            text.append(byte)
        }
        return PageFile(mediaType: mediaType, bytes: text)
    }

    /// The media types of files, by the endings of their names.
    private static let mediaTypes = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    ]
}
