#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// How deep each thread is inside of something: a number of its own for every thread.
///
/// For the other libraries of the package. Never released, as the system has few of its keys: keep
/// it in a `static let`.
///
/// - Complexity: O(1), a few nanoseconds.
package struct ThreadDepth: Sendable {
    private let key: pthread_key_t

    /// A number that is zero on every thread.
    package init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        guard status == 0 else { fatalError("no key for a number of each thread: error \(status)") }
        self.key = key
    }

    /// Whether the calling thread is inside a body of ``inside(_:)``.
    package var isInside: Bool { depth != 0 }

    /// Runs `body` with the calling thread one deeper inside.
    package func inside<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        depth += 1
        defer { depth -= 1 }
        try body()
    }

    private var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        nonmutating set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }
}
