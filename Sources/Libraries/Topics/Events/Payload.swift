/// The bytes of one event: immutable, in one allocation, at an address that never changes.
///
/// Copying a `Payload` copies a reference. Its `bytes` are valid as long as some copy of the
/// payload, or its event, is retained.
public struct Payload {
    private final class Storage: ManagedBuffer<Int, UInt8> {}

    private let storage: Storage

    /// No bytes at all.
    public static let empty = Payload(count: 0) { _ in }

    /// A payload of `count` bytes that `fill` writes, all of them, before it is shared.
    ///
    /// - Complexity: One allocation, plus the time of `fill`.
    public init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let made = Storage.create(minimumCapacity: count) { _ in count }
        storage = unsafeDowncast(made, to: Storage.self)
        storage.withUnsafeMutablePointerToElements {
            fill(UnsafeMutableRawBufferPointer(start: $0, count: count))
        }
    }

    /// A payload that holds a copy of `bytes`.
    public init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// A payload that holds a copy of `bytes`.
    public init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Payload(copying: $0) }
    }

    /// How many bytes there are.
    public var count: Int { storage.header }

    /// The bytes read as UTF-8; invalid sequences become U+FFFD.
    ///
    /// - Complexity: O(bytes).
    public var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Calls `body` with the bytes, which are valid during the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(bytes)
    }

    /// The bytes themselves, valid while the payload is retained: keep the event as long as the
    /// pointer is used, with `withExtendedLifetime` where nothing else does.
    public var bytes: UnsafeRawBufferPointer {
        storage.withUnsafeMutablePointers { count, elements in
            UnsafeRawBufferPointer(start: elements, count: count.pointee)
        }
    }
}

// @unchecked: the bytes are written before the payload is first shared, and never after.
extension Payload: @unchecked Sendable {}
