/// The bytes of an answer's body.
public enum ResponseBody: Sendable {
    /// No bytes.
    case empty
    /// Bytes of this answer alone.
    case bytes([UInt8])
    /// Bytes that belong to another object and are not copied.
    case shared(SharedBytes)

    /// Bytes that stay where they are for as long as `owner` lives, and never change.
    ///
    /// - Parameter isCounted: Whether the owner itself counts them against the memory budget, for as
    ///   long as it lives.
    public static func shared(
        owner: any AnyObject & Sendable, _ bytes: UnsafeRawBufferPointer, isCounted: Bool = false
    ) -> ResponseBody {
        .shared(SharedBytes(owner: owner, bytes: bytes, isCounted: isCounted))
    }

    /// How many bytes there are.
    public var count: Int {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .shared(let shared): shared.bytes.count
        }
    }

    /// Whether another thread has made the bytes for one reader, in memory that they alone take.
    var isOfOneReader: Bool {
        if case .shared(let shared) = self { shared.isCounted } else { false }
    }

    /// Calls `body` with the bytes, which are valid only inside.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .empty: body(UnsafeRawBufferPointer(start: nil, count: 0))
        case .bytes(let bytes): bytes.withUnsafeBytes(body)
        case .shared(let shared): withExtendedLifetime(shared.owner) { body(shared.bytes) }
        }
    }
}

/// Immutable bytes kept alive by an object.
///
/// `@unchecked` because the owner, itself Sendable, keeps the bytes in place and unchanged while
/// it lives.
public struct SharedBytes: @unchecked Sendable {
    /// Keeps the bytes alive.
    public let owner: any AnyObject & Sendable

    /// The bytes, valid while `owner` lives.
    public let bytes: UnsafeRawBufferPointer

    /// Whether the owner counts them against the memory budget while it lives.
    public let isCounted: Bool
}
