internal import Telemetry

/// One turn of a loop: when it began, and how much of it each stream has had.
struct LoopTurn {
    /// Milliseconds of the monotonic clock at its beginning.
    private(set) var now: UInt64
    /// Whether it serves one request alone, as far as can be known before it is read.
    var servesOne = false
    /// A number that tells this turn from others.
    private(set) var number: UInt32 = 0
    /// Whether it is every other one.
    var isOdd: Bool { number % 2 == 1 }
    /// Microseconds of that clock when it began and when it ended.
    private(set) var began = MonotonicClock.microseconds()
    private(set) var ended: Int

    /// The time before a loop's first turn.
    init() {
        now = UInt64(began / 1_000)
        ended = began
    }

    /// Goes on to the next.
    mutating func begin() {
        began = MonotonicClock.microseconds()
        now = UInt64(began / 1_000)
        number &+= 1
    }

    /// Ends it, and returns how many microseconds it has lasted.
    mutating func end() -> Int {
        ended = MonotonicClock.microseconds()
        return ended - began
    }

    /// Counts a write of a stream; true once the stream has had its share.
    func spend(_ bytes: Int, on connection: Connection) -> Bool {
        if connection.turn != number {
            connection.turn = number
            connection.turnCost = 0
        }
        let cost = Int(connection.turnCost) + bytes + HTTPFrontLimits.streamWriteCostBytes
        connection.turnCost = UInt32(clamping: cost)
        return cost >= HTTPFrontLimits.streamBytesPerTurnMax
    }
}
