/// Whether bytes are UTF-8, as the standard library judges it.
enum UTF8Text {
    /// - Complexity: O(bytes), nothing is copied.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let span = bytes.assumingMemoryBound(to: UInt8.self).span
        return (try? UTF8Span(validating: span)) != nil
    }
}
