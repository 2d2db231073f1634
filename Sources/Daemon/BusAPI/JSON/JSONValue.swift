/// One JSON text inside a payload: checked, and copied without the white space between its tokens.
///
/// Beyond RFC 8259 the contract asks for what every reader can take in: at most
/// ``Limits/jsonDepthMax`` levels, numbers within the range of a double, no lone surrogates.
///
/// - Complexity: O(bytes), one pass, no recursion deeper than the limit.
enum JSONValue {
    /// Appends `text` without white space between tokens, or says that it is not such a text.
    ///
    /// After `false` the end of `output` is undefined: the caller cuts it back.
    ///
    /// - Parameter text: Bytes that are known to be valid UTF-8.
    static func compact(_ text: UnsafeRawBufferPointer, into output: inout [UInt8]) -> Bool {
        output.reserveCapacity(output.count + text.count)
        var scanner = JSONScanner(text)
        scanner.skipSpace()
        guard scanner.value(depth: 1, into: &output) else { return false }
        scanner.skipSpace()
        return scanner.isAtEnd
    }
}
