import Foundation

/// What the observers of the contests observe; public, and with two kinds of observers, so that
/// the compiler cannot put one of them in the place of the protocol.
public protocol Bell: AnyObject {
    func ring()
}

/// Counts its calls, by which a contest proves that it was called.
// @unchecked: contests ring it on one thread.
final class Counter: Bell, @unchecked Sendable {
    private(set) var rings = 0

    func ring() { rings &+= 1 }
}

/// Another kind of observer.
final class Silence: Bell {
    func ring() {}
}

/// The limit of any design that holds its observers weakly: a loop of weak loads and calls.
struct BareLoop {
    /// A class, because to reach a weak reference inside a struct copies it first.
    private final class Entry {
        weak let bell: (any Bell)?

        init(_ bell: any Bell) { self.bell = bell }
    }

    private let entries: [Entry]

    init(_ bells: [any Bell]) {
        entries = bells.map { Entry($0) }
    }

    @inline(never)
    func notify(_ body: (any Bell) -> Void) {
        for entry in entries {
            if let bell = entry.bell { body(bell) }
        }
    }
}
