internal import Telemetry

/// One turn of a loop: when it began, how much of it each stream has had, and what is left of it for
/// requests.
struct LoopTurn {
    /// Milliseconds of the monotonic clock at its beginning.
    private(set) var now: UInt64
    /// Whether it serves one request alone, as far as can be known before the parser runs.
    var servesOne = false
    /// What is left for requests that the parser does not see, for short and for long ones that it has
    /// read, and for messages of WebSockets: none of them waits for the others.
    var unparsed = StepBudget()
    var short = StepBudget()
    var long = StepBudget(HTTPFrontLimits.longStepsPerTurnMax)
    var messages = StepBudget()
    /// What is left for the bytes of answers.
    private(set) var writes = StepBudget(HTTPFrontLimits.writeStepsPerTurnMax)
    private var number: UInt32 = 0
    private var began = MonotonicClock.microseconds()

    /// The time before a loop's first turn.
    init() {
        now = UInt64(began / 1_000)
    }

    /// Microseconds since it began.
    var microseconds: Int { MonotonicClock.microseconds() - began }

    /// Goes on to the next.
    mutating func begin() {
        began = MonotonicClock.microseconds()
        now = UInt64(began / 1_000)
        number &+= 1
        (unparsed, short, messages) = (StepBudget(), StepBudget(), StepBudget())
        long = StepBudget(HTTPFrontLimits.longStepsPerTurnMax)
        writes = StepBudget(HTTPFrontLimits.writeStepsPerTurnMax)
    }

    /// Counts so many bytes that the kernel has taken of an answer.
    mutating func spendWrite(of bytes: Int) {
        writes.spend(1 + bytes / HTTPFrontLimits.writtenBytesPerStep)
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

/// The steps that one turn of a loop has for work of one kind, a microsecond or two each; what finds
/// none left waits for the next turn.
struct StepBudget {
    private let stepsMax: Int
    private var spent = 0
    /// Steps that were spent when the last thing began, that one counted as one.
    private(set) var begun = 0

    init(_ steps: Int = HTTPFrontLimits.stepsPerTurnMax) { stepsMax = steps }

    var isLeft: Bool { spent < stepsMax }

    mutating func spend(_ steps: Int) {
        begun = spent + 1
        spent += steps
    }

    /// What a request costs: its work grows with its target, which may be a list of patterns, and with
    /// its body.
    static func steps(targetBytes: Int, bodyBytes: Int) -> Int {
        HTTPFrontLimits.requestSteps + targetBytes / HTTPFrontLimits.targetBytesPerStep
            + bodyBytes / HTTPFrontLimits.bodyBytesPerStep
    }
}
