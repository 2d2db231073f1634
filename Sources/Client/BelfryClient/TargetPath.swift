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
        var output = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~":
                output.unicodeScalars.append(scalar)
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                output += hex.count < 2 ? "%0" + hex : "%" + hex
            }
        }
        return output
    }
}
