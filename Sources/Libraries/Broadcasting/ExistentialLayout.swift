/// How a value of a protocol type is made again from its object, without a dynamic cast.
///
/// A cast from an object to a protocol costs a search for the conformance, more than the call it
/// is made for. But a value of a protocol type that holds an object is that object's reference,
/// first, and words that depend on the object's class alone. These are taken from a value that
/// was cast once.
///
/// Relies on the layout of existentials ("Type Layout" in the Swift ABI documents), and checks it
/// as far as one value shows: where the first word is not the object, there is no layout and the
/// cast stays.
@usableFromInline
struct ExistentialLayout: Sendable {
    /// The words behind the object's reference: witness tables, or the rest of an opaque
    /// container, its type and its witness table.
    @usableFromInline let rest: (UInt, UInt, UInt, UInt)

    private static let wordsMax = 5

    /// The layout of `value`, which is `object` seen as a `P`; nil if it does not look like that.
    init?<P>(of value: P, object: AnyObject) {
        let size = MemoryLayout<P>.size
        let word = MemoryLayout<UInt>.size
        guard size >= word, size <= Self.wordsMax * word, size % word == 0 else { return nil }
        let reference = UInt(bitPattern: ObjectIdentifier(object))
        var rest: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
        let isReferenceFirst = withUnsafeBytes(of: value) { bytes in
            withUnsafeMutableBytes(of: &rest) {
                $0.copyMemory(from: .init(rebasing: bytes[word...]))
            }
            return bytes.load(as: UInt.self) == reference
        }
        guard isReferenceFirst else { return nil }
        self.rest = rest
    }

    /// `object` as a `P`.
    ///
    /// - Precondition: The layout is of the same `P` and an object of the same class.
    @inlinable
    func value<P>(of object: consuming AnyObject, as protocolType: P.Type) -> P {
        withUnsafeTemporaryAllocation(of: P.self, capacity: 1) { place in
            let bytes = UnsafeMutableRawBufferPointer(place)
            // Unmanaged: the value that is moved out of `place` owns this reference.
            let reference = Unmanaged.passRetained(object).toOpaque()
            bytes.storeBytes(of: UInt(bitPattern: reference), as: UInt.self)
            withUnsafeBytes(of: rest) { rest in
                let count = bytes.count - MemoryLayout<UInt>.size
                UnsafeMutableRawBufferPointer(rebasing: bytes[MemoryLayout<UInt>.size...])
                    .copyMemory(from: .init(rebasing: rest[..<count]))
            }
            return place.baseAddress!.move()
        }
    }

    /// `object` as a `P`, by its layout or, where it has none, by a cast.
    @inlinable
    static func value<P>(
        of object: consuming AnyObject, as protocolType: P.Type, _ layout: ExistentialLayout?
    ) -> P? {
        guard let layout else { return object as? P }
        return layout.value(of: object, as: protocolType)
    }
}
