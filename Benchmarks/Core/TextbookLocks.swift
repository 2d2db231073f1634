import Foundation

/// A value behind an `NSLock`.
// @unchecked: the value is only touched under the lock.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func read<Result>(_ body: (Value) -> Result) -> Result {
        lock.withLock { body(value) }
    }

    func write<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}

/// A value behind a concurrent queue, whose writers are barriers.
// @unchecked: the value is only read on the queue, and only changed in its barrier blocks.
final class Queued<Value>: @unchecked Sendable {
    private let queue = DispatchQueue(label: "queued", attributes: .concurrent)
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func read<Result>(_ body: (Value) -> Result) -> Result {
        queue.sync { body(value) }
    }

    func write<Result>(_ body: (inout Value) -> Result) -> Result {
        queue.sync(flags: .barrier) { body(&value) }
    }
}
