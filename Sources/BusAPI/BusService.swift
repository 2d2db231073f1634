public import HTTPFront
internal import Protection
public import Telemetry
public import Topics

/// The bus as HTTP offers it: makes the handler of each loop, and speaks to all of them.
///
/// Promises that every loop serves the same bus under the same configuration. Does not start or
/// stop anything: loops belong to the server, the bus to whoever made it.
///
/// Safe from any thread.
public final class BusService: Sendable {
    let bus: EventBus
    let memory: MemoryBudget
    let log: Log
    let waiting = Gauge()
    private let state: Protected<State>

    private struct State {
        var configuration: BusAPIConfiguration
        var loops: [LoopHandle] = []
    }

    /// A service of `bus`, charging what it keeps to `memory`.
    public init(
        bus: EventBus, configuration: BusAPIConfiguration, memory: MemoryBudget, log: Log
    ) {
        self.bus = bus
        self.memory = memory
        self.log = log
        state = Protected(State(configuration: configuration))
    }

    /// The handler of one loop; called by the server once on each loop's thread.
    public func makeHandler(on loop: LoopHandle) -> any RequestHandler {
        let configuration = state.write { state in
            state.loops.append(loop)
            return state.configuration
        }
        return BusHandler(service: self, configuration: configuration, loop: loop)
    }

    /// Replaces the configuration; each loop takes it over at its next turn.
    ///
    /// Requests that already wait keep the wait they were given.
    public func reload(_ configuration: BusAPIConfiguration) {
        let loops = state.write { state in
            state.configuration = configuration
            return state.loops
        }
        for loop in loops {
            loop.post { handler in (handler as! BusHandler).reconfigure(configuration) }
        }
    }

    /// Requests that wait for events at this moment, over all loops.
    public var waitingCount: Int { waiting.value }
}
