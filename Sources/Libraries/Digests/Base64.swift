internal import CNettle

/// Base64 (RFC 4648 section 4) as libnettle reads and writes it: padded, without line breaks.
public enum Base64 {
    /// Bytes that are encoded at once: whole groups of three, so that padding comes at the end
    /// only.
    private static let pieceBytes = 3_072

    /// Appends the encoding of `data`: four bytes for every three, rounded up.
    ///
    /// - Complexity: O(bytes).
    public static func encode(_ data: UnsafeRawBufferPointer, into text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: pieceBytes / 3 * 4) { piece in
            for start in stride(from: 0, to: data.count, by: pieceBytes) {
                let part = UnsafeRawBufferPointer(rebasing: data[start...].prefix(pieceBytes))
                nettle_base64_encode_raw(
                    piece.baseAddress, part.count,
                    part.assumingMemoryBound(to: UInt8.self).baseAddress)
                text += UnsafeRawBufferPointer(piece)[..<((part.count + 2) / 3 * 4)]
            }
        }
    }

    /// The encoding of some bytes.
    ///
    /// - Complexity: O(bytes).
    public static func text(_ data: [UInt8]) -> String {
        var text: [UInt8] = []
        data.withUnsafeBytes { encode($0, into: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` encodes; nil where it is no such encoding.
    ///
    /// Padding is needed, and no bit may be set beyond the last byte: one encoding for all data.
    ///
    /// - Complexity: O(bytes).
    public static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        // libnettle passes over white space, and takes three bytes of padding. Others do neither.
        guard !text.contains(where: isSpace), !text.suffix(3).elementsEqual("===".utf8) else {
            return nil
        }
        var decoding = base64_decode_ctx()
        nettle_base64_decode_init(&decoding)
        var data = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
        var count = data.count
        let isEncoding = nettle_base64_decode_update(
            &decoding, &count, &data, text.count,
            text.assumingMemoryBound(to: CChar.self).baseAddress)
        guard isEncoding == 1, nettle_base64_decode_final(&decoding) == 1 else { return nil }
        data.removeSubrange(count...)
        return data
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
