/// The path below which a server is reached through a proxy that keeps it, such as `/bus`.
///
/// It stands in front of every path of a request, and of every path that an answer names.
public struct PathPrefix: Sendable, Equatable {
    /// The prefix as it stands in front of a path: empty, or segments, each with a slash before it.
    public let text: String

    /// No prefix: paths begin with their own slash.
    public init() { text = "" }

    /// The prefix that `text` spells, which needs no encoding in a target.
    ///
    /// - Throws: `ConfigurationError` for a text without a slash in front or with one at its end,
    ///   for empty segments, for others than letters, digits, `.`, `_` and `-` without a dot in
    ///   front, and for more than `HTTPFrontLimits.pathPrefixBytesMax` bytes.
    public init(_ text: String) throws(ConfigurationError) {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count > 1, segments[0].isEmpty,
            text.utf8.count <= HTTPFrontLimits.pathPrefixBytesMax,
            segments.dropFirst().allSatisfy({ segment in
                segment.utf8.first.map { $0 != UInt8(ascii: ".") } == true
                    && segment.utf8.allSatisfy(\.isPlain)
            })
        else {
            throw ConfigurationError(
                "`\(text)` is no prefix of paths: write a slash and a name, such as /bus, without a "
                    + "slash at its end.")
        }
        self.text = text
    }

    /// The place where the path goes on behind the prefix; nil if it is not below it.
    func end(in raw: UnsafeRawBufferPointer, _ path: Range<Int>) -> Int? {
        if text.isEmpty { return path.lowerBound }
        let end = path.lowerBound + text.utf8.count
        guard end < path.upperBound, raw[end] == UInt8(ascii: "/"),
            raw[path.lowerBound..<end].elementsEqual(text.utf8)
        else { return nil }
        return end
    }
}
