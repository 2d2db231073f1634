import Broadcasting
import Protection

/// What the tests observe.
protocol BellObserver: AnyObject {
    func rang(_ number: Int)
}

/// Another protocol, which values may conform to as well.
protocol LampObserver {
    func lit()
}

/// Does what a test says whenever it is called.
final class Listener: BellObserver, LampObserver, Sendable {
    private let onRing: @Sendable (Int) -> Void
    private let onEnd: @Sendable () -> Void

    init(
        _ onRing: @escaping @Sendable (Int) -> Void = { _ in },
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.onRing = onRing
        self.onEnd = onEnd
    }

    deinit { onEnd() }

    func rang(_ number: Int) { onRing(number) }
    func lit() { onRing(-1) }
}

/// Collects in order what listeners heard.
final class Hearing: Sendable {
    private let heard = Protected<[String]>([])

    var all: [String] { heard.value }

    func listener(_ name: String) -> Listener {
        Listener { [heard] number in heard.write { $0.append("\(name)\(number)") } }
    }

    func note(_ text: String) { heard.write { $0.append(text) } }
}

extension Broadcaster {
    func ring(_ number: Int, at topic: (any Hashable & Sendable)? = nil) {
        notify((any BellObserver).self, topic: topic) { $0.rang(number) }
    }

    func add(_ listener: Listener, at topic: (any Hashable & Sendable)? = nil) {
        register((any BellObserver).self, topic: topic, observer: listener)
    }

    func drop(_ listener: Listener) {
        unregister((any BellObserver).self, observer: listener)
    }
}
