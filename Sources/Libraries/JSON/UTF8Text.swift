/// UTF-8, as the standard library judges it.
public enum UTF8Text {
    /// Whether bytes are UTF-8.
    ///
    /// - Complexity: O(bytes), nothing is copied.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool { fault(in: bytes) == nil }

    /// The place of the first byte that keeps bytes from being UTF-8; nil where they are.
    ///
    /// - Complexity: O(bytes), nothing is copied.
    public static func fault(in bytes: UnsafeRawBufferPointer) -> Int? {
        let span = bytes.assumingMemoryBound(to: UInt8.self).span
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: span)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }
}
