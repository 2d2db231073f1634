internal import Protection
internal import Synchronization

/// Finds observers whose conformance holds on an actor only.
///
/// A type may conform to a protocol for the code of one actor (`: @MainActor DoorObserver`). The
/// compiler lets such an observer be registered there, and a notification would then call it on any
/// thread. Off its actor a cast to the protocol fails, so that is tried on a thread that no actor
/// uses, once for each protocol and class.
enum Conformance {
    private struct Pair: Hashable {
        let observed: ObjectIdentifier
        let kind: ObjectIdentifier
    }

    private static let known = Protected<Set<Pair>>([])

    /// Whether `object`, which is a `P` here, is one on every thread.
    static func holdsEverywhere<P>(of object: AnyObject, to observed: P.Type) -> Bool {
        let pair = Pair(
            observed: ObjectIdentifier(observed), kind: ObjectIdentifier(type(of: object)))
        if known.read({ $0.contains(pair) }) { return true }
        guard Cast<P>.elsewhere(object) else { return false }
        known.write { _ = $0.insert(pair) }
        return true
    }

    #if canImport(Darwin)
        private enum Cast<P> {
            static func elsewhere(_ object: AnyObject) -> Bool { true }
        }
    #else
        private final class Cast<P>: ThreadWork {
            private let object: AnyObject
            private let outcome: Outcome

            private final class Outcome: Sendable {
                let succeeds = Atomic(false)
            }

            private init(_ object: AnyObject, _ outcome: Outcome) {
                self.object = object
                self.outcome = outcome
            }

            func run() { outcome.succeeds.store(object is P, ordering: .releasing) }

            /// Whether a thread of its own sees `object` as a `P`; true where there is no thread
            /// left to ask.
            static func elsewhere(_ object: AnyObject) -> Bool {
                let outcome = Outcome()
                guard let thread = try? OwnedThread(running: Cast(object, outcome)) else {
                    return true
                }
                thread.join()
                return outcome.succeeds.load(ordering: .acquiring)
            }
        }
    #endif
}
