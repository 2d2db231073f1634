/// The algebra of sets, over the members that live while it is done.
///
/// Results have the members of the left set in its order, then those of the right one in its.
extension WeakObjectSet: SetAlgebra {
    /// Whether the same members live in both, in any order.
    public static func == (left: WeakObjectSet, right: WeakObjectSet) -> Bool {
        let members = Array(left)
        return members.count == right.count && members.allSatisfy(right.contains)
    }

    /// Adds `object`, as ``insert(_:)`` does.
    ///
    /// - Returns: The object, or nil if it was added.
    @discardableResult
    public mutating func update(with object: Object) -> Object? {
        insert(object).inserted ? nil : object
    }

    /// Adds the members of `other`.
    public mutating func formUnion(_ other: WeakObjectSet) {
        for object in other { insert(object) }
    }

    /// Takes out the members that `other` does not have.
    public mutating func formIntersection(_ other: WeakObjectSet) {
        for object in self where !other.contains(object) { remove(object) }
    }

    /// Takes out the members of both, and adds the members of `other` alone.
    public mutating func formSymmetricDifference(_ other: WeakObjectSet) {
        for object in other where remove(object) == nil { insert(object) }
    }

    /// The members of either.
    public func union(_ other: WeakObjectSet) -> WeakObjectSet {
        var result = self
        result.formUnion(other)
        return result
    }

    /// The members of both.
    public func intersection(_ other: WeakObjectSet) -> WeakObjectSet {
        var result = self
        result.formIntersection(other)
        return result
    }

    /// The members of exactly one.
    public func symmetricDifference(_ other: WeakObjectSet) -> WeakObjectSet {
        var result = self
        result.formSymmetricDifference(other)
        return result
    }
}
