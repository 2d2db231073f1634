internal import JSON

/// A path with its parameters, percent-encoded.
struct TargetPath {
    private(set) var text: String
    private var hasParameters = false

    /// A path of these segments.
    init(_ segments: String...) {
        text = segments.map { "/" + Self.encoded($0) }.joined()
    }

    /// The same with one parameter more, if it has a value.
    func with(_ name: String, _ value: String?) -> TargetPath {
        guard let value else { return self }
        var target = self
        target.text += (hasParameters ? "&" : "?") + name + "=" + Self.encoded(value)
        target.hasParameters = true
        return target
    }

    /// Percent-encodes every byte but the unreserved characters (RFC 3986 section 2.3).
    private static func encoded(_ text: String) -> String {
        ASCII.percentEncoded(text) { _, byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
            default: false
            }
        }
    }
}
