internal import Synchronization
public import Telemetry

/// The counters and gauges of one loop; written by the loop, readable from any thread.
public final class LoopMeters: Sendable {
    /// Connections accepted.
    public let accepted = Counter()
    /// Connections refused because there were too many.
    public let turnedAway = Counter()
    /// Times that accepting paused because no descriptor or memory was free.
    public let acceptPauses = Counter()
    /// Requests whose line and headers arrived whole.
    public let requests = Counter()
    /// Those of them whose head was known, and which were not parsed.
    public let repeats = Counter()
    /// Answers given to the kernel.
    public let answers = Counter()
    /// Requests answered by the front itself, before any handler.
    public let refusals = Counter()
    /// Answers that tell a problem, by its code.
    public let problems = CounterTable()
    /// Durations of turns, in microseconds: for so long nobody else was served.
    public let turns = Histogram()
    /// Turns that left tasks to the next because they had lasted long, not because steps were
    /// spent.
    public let turnsCutShort = Counter()
    /// Connections closed because a header, body, idle or reading deadline passed, and streams and
    /// WebSockets whose owner was told so.
    public let timeouts = Counter()
    /// Parked connections whose peer was found gone without a word.
    public let gone = Counter()
    /// Connections closed because memory was short.
    public let shed = Counter()

    /// Connections that are open, in any phase.
    public let connections = Gauge()
    /// Connections that are parked: waits, streams and WebSockets.
    public let parked = Gauge()
    /// Requests that await their answer though nothing is parked.
    public let pending = Gauge()

    private let kinds = LoopTask.allCases.map { BoundedTask($0.name, stepsMax: $0.stepsMax) }
    private let all = BoundedTask("all", stepsMax: LoopTask.stepsPerTurnMax)

    /// The tasks of turns by kind, and all of them together.
    public var tasks: [BoundedTask] { kinds + [all] }

    private let turn = Atomic<UInt64>(0)

    init() {}

    /// The time at which the loop last began a turn, in milliseconds of `CLOCK_MONOTONIC`; 0 before
    /// its first.
    ///
    /// A loop with nothing to do sleeps: to tell sleep from a hang, post an empty job first.
    public var lastTurnMilliseconds: UInt64 { turn.load(ordering: .relaxed) }

    /// Milliseconds since the loop last began a turn.
    public var idleMilliseconds: UInt64 {
        let last = lastTurnMilliseconds
        return last == 0 ? 0 : max(last, MonotonicClock.milliseconds()) - last
    }

    func countAnswer(_ response: Response) {
        answers.add()
        if let code = response.problemCode { problems.add(code) }
    }

    /// Counts steps of one kind of task, by its raw value, in a turn that is over.
    func count(_ steps: Int, ofKind kind: Int) { kinds[kind].countTurn(of: steps) }

    /// Counts a turn that is over, by the steps of all its tasks.
    func countTurn(of steps: Int) { all.countTurn(of: steps) }

    func beginTurn(at now: UInt64) { turn.store(now, ordering: .relaxed) }
}
