/// A weak reference with an identity that outlives its object.
///
/// Two of them are equal exactly when they were made of the same object, whether it still lives
/// or not: an object that comes to lie at the same address later is another one. So they serve as
/// members of sets and keys of dictionaries.
///
/// Does not keep the object alive, but keeps its address from being used again. The memory of the
/// instance itself, without the objects it referred to, is given back when the last `WeakObject` of
/// it goes. Drop those whose ``object`` is nil.
///
/// - Complexity: O(1) for everything.
/// - Important: Safe from any thread, as far as the object itself is. Reading ``object`` holds
///   the object: if all others let go meanwhile, its `deinit` runs where that reading ends. So do
///   not read it under a lock.
public struct WeakObject<Object: AnyObject>: Hashable {
    /// Tells this object from all others for as long as this value exists.
    public let identity: ObjectIdentifier

    @usableFromInline weak let reference: Object?

    /// Never read. An unowned reference keeps the memory of a dead instance allocated, and so makes
    /// its address an identity.
    private unowned let pin: Object

    /// Refers to `object`.
    public init(_ object: Object) {
        identity = ObjectIdentifier(object)
        reference = object
        pin = object
    }

    /// The object, or nil once it is gone; gone is for ever.
    @inlinable
    public var object: Object? { reference }

    /// Whether both were made of the same object.
    public static func == (left: WeakObject, right: WeakObject) -> Bool {
        left.identity == right.identity
    }

    /// Hashes the identity, which never changes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}

extension WeakObject: Sendable where Object: Sendable {}
