/// The body of a complete request, as bytes that live only while the handler looks at them.
///
/// A handler that keeps the body copies it; the front reuses or frees the storage as soon as
/// `handle` returns.
public struct RequestBody {
    /// The bytes, valid until `handle` returns.
    public let bytes: UnsafeRawBufferPointer

    /// A body of these bytes, which must outlive the handler's call.
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// How many bytes the body has.
    public var count: Int { bytes.count }
}
