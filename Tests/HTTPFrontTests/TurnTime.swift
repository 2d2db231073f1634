import Protection

/// The time that turns take, in microseconds: it passes when it is told to, and with each look at it.
final class TurnTime: Sendable {
    private struct State {
        var now = 0
        var looks = 0
    }

    private let state = Protected(State())
    private let passingAtALook: Int

    /// A clock on which so much passes whenever somebody looks at it.
    init(passingAtALook: Int = 0) {
        self.passingAtALook = passingAtALook
    }

    /// A machine on which every turn is late as soon as its time is looked at.
    static var ofASlowMachine: TurnTime { TurnTime(passingAtALook: 1_000_000) }

    /// How often it was looked at.
    var looks: Int { state.value.looks }

    func pass(_ microseconds: Int) { state.write { $0.now += microseconds } }

    @Sendable func look() -> Int {
        state.write { state in
            state.looks += 1
            state.now += passingAtALook
            return state.now
        }
    }
}
