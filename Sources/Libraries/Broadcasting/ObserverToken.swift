/// One registration as a thing to hold: released, it is ended.
///
/// Does not keep the observer alive, nor the bus from being released by others; ending twice does
/// nothing.
///
/// Safe from any thread. (`@unchecked`: the place holds a topic as `AnyHashable`, made of a
/// Sendable one.)
public final class ObserverToken: @unchecked Sendable {
    private let registration: Registration
    private let place: Registry.Place
    private let broadcaster: Broadcaster

    init(of registration: Registration, at place: Registry.Place, on broadcaster: Broadcaster) {
        self.registration = registration
        self.place = place
        self.broadcaster = broadcaster
    }

    deinit { cancel() }

    /// Ends the registration: no call begins after this returned.
    public func cancel() {
        if !registration.isEnded { broadcaster.end(registration, at: place) }
    }
}
