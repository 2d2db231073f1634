import Foundation

/// The bus that everybody writes once: a dictionary of weak sets behind a concurrent queue, read
/// with `sync`, changed in barriers, and a cast for each observer.
// @unchecked: the table is only touched on the queue, and changed in barriers there.
final class TextbookBus: @unchecked Sendable {
    private struct Entry: Hashable {
        weak let object: AnyObject?
        let identity: ObjectIdentifier

        init(_ object: AnyObject) {
            self.object = object
            identity = ObjectIdentifier(object)
        }

        static func == (left: Entry, right: Entry) -> Bool { left.identity == right.identity }

        func hash(into hasher: inout Hasher) { hasher.combine(identity) }
    }

    private let queue = DispatchQueue(label: "textbook", attributes: .concurrent)
    private var table: [ObjectIdentifier: Set<Entry>] = [:]

    func register<P>(_ observed: P.Type, observer: AnyObject) {
        queue.sync(flags: .barrier) {
            _ = table[ObjectIdentifier(observed), default: []].insert(Entry(observer))
        }
    }

    func unregister<P>(_ observed: P.Type, observer: AnyObject) {
        queue.sync(flags: .barrier) {
            _ = table[ObjectIdentifier(observed)]?.remove(Entry(observer))
        }
    }

    func notify<P>(_ observed: P.Type, _ body: (P) -> Void) {
        let entries = queue.sync { table[ObjectIdentifier(observed)] ?? [] }
        for entry in entries {
            if let observer = entry.object as? P { body(observer) }
        }
    }
}
