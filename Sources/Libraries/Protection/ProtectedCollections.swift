extension Protected where Value: RangeReplaceableCollection {
    /// Adds an element at the end, in one access.
    ///
    /// - Complexity: O(1) amortised, as the collection's own.
    @inlinable
    public func append(_ element: Value.Element) {
        lock.withLock { storage.append(element) }
    }

    /// Adds elements at the end, in one access: those of another thread do not come in between.
    ///
    /// The sequence is read before the lock is taken, so it may use this value.
    ///
    /// - Complexity: O(elements) amortised.
    @inlinable
    public func append(contentsOf elements: some Sequence<Value.Element>) {
        let added = Value(elements)
        lock.withLock { storage.append(contentsOf: added) }
    }
}

extension Protected {
    /// Adds an element at the end of a buffer, in one access; to `nil`, makes a buffer of it.
    ///
    /// - Complexity: O(1) amortised, as the collection's own.
    @inlinable
    public func append<Buffer: RangeReplaceableCollection>(_ element: Buffer.Element)
    where Value == Buffer? {
        lock.withLock {
            if storage?.append(element) == nil { storage = Buffer(CollectionOfOne(element)) }
        }
    }

    /// Adds elements at the end of a buffer, in one access; to `nil`, makes a buffer of them, which
    /// is empty if there are none.
    ///
    /// The sequence is read before the lock is taken, so it may use this value.
    ///
    /// - Complexity: O(elements) amortised.
    @inlinable
    public func append<Buffer: RangeReplaceableCollection>(
        contentsOf elements: some Sequence<Buffer.Element>
    ) where Value == Buffer? {
        let added = Buffer(elements)
        lock.withLock {
            if storage?.append(contentsOf: added) == nil { storage = added }
        }
    }
}
