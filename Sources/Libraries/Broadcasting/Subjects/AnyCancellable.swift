internal import Protection

/// Something that can be called off, and is when it is released.
///
/// Two of them are equal when they are the same object.
///
/// Releasing one does not wait for a running call, as ``cancel()`` does: it may happen anywhere,
/// under a lock that the call needs too. No further call begins.
public final class AnyCancellable: Cancellable, Hashable {
    private let inner: Protected<(any Cancellable)?>

    /// Calls off `cancellable` when it is called off.
    public init(_ cancellable: some Cancellable) {
        inner = Protected(cancellable)
    }

    /// Runs `cancel`, once, to call off.
    public convenience init(_ cancel: @escaping @Sendable () -> Void) {
        self.init(CancellingBlock(cancel))
    }

    deinit {
        guard let inner = inner.value else { return }
        CallContext.withoutWaiting { inner.cancel() }
    }

    /// Calls it off, and lets go of it.
    public func cancel() {
        // Let go of only afterwards: a second thread that cancels has to wait as well.
        inner.value?.cancel()
        inner.value = nil
    }

    /// Whether both are the same object.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A block as something that can be called off.
private final class CancellingBlock: Cancellable {
    private let block: Protected<(@Sendable () -> Void)?>

    init(_ block: @escaping @Sendable () -> Void) {
        self.block = Protected(block)
    }

    func cancel() {
        let block = block.write { block in
            defer { block = nil }
            return block
        }
        block?()
    }
}
