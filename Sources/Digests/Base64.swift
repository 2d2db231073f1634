internal import CNettle

/// Base64 (RFC 4648 section 4) as libnettle reads and writes it, for values of a few bytes.
public enum Base64 {
    /// The bytes as text, padded.
    ///
    /// - Complexity: O(bytes).
    public static func text(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: (bytes.count + 2) / 3 * 4)
        nettle_base64_encode_raw(&text, bytes.count, bytes)
        return String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The bytes that a padded text stands for; nil where it stands for none.
    ///
    /// - Complexity: O(bytes).
    public static func bytes(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var decoding = base64_decode_ctx()
        nettle_base64_decode_init(&decoding)
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
        var count = bytes.count
        let isText = nettle_base64_decode_update(
            &decoding, &count, &bytes, text.count,
            text.assumingMemoryBound(to: CChar.self).baseAddress)
        guard isText == 1, nettle_base64_decode_final(&decoding) == 1 else { return nil }
        return Array(bytes[..<count])
    }
}
