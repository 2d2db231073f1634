import Broadcasting
import Dispatch
import Protection
import Telemetry
import Topics

/// Where a build stands.
enum BuildState: String, Sendable {
    case running, passed, failed
}

/// The builds that the server knows of, shared by all of its requests.
struct BuildTable: Sendable {
    private let states = Protected<[String: BuildState]>([:])

    /// Notes where a build stands, and returns whether that is news.
    func note(_ state: BuildState, of build: String) -> Bool {
        states.write { $0.updateValue(state, forKey: build) != state }
    }

    /// The builds that run at this moment, by name.
    var running: [String] {
        states.read { states in states.keys.filter { states[$0] == .running } }.sorted()
    }
}

/// Learns of every change of a build.
protocol BuildObserver: AnyObject, Sendable {
    /// Called on the thread of the request that said so.
    func build(_ name: String, became state: BuildState)
}

/// How many builds failed since the server started.
final class FailureCount: BuildObserver {
    private let count = Protected(0)

    var value: Int { count.value }

    func build(_ name: String, became state: BuildState) {
        if state == .failed { count.write { $0 += 1 } }
    }
}

/// What the handlers of requests share.
final class BuildServer: Sendable {
    let observers = Broadcaster()
    let history: EventBus
    private let builds = BuildTable()

    /// A server that keeps the last `keep` changes of each build, in 16 MiB at most.
    init(keep: Int = 1_000) throws {
        history = try EventBus(
            store: MemoryStore(ceiling: nil),
            defaults: Retention(keep: keep, bytes: nil, age: nil),
            memory: MemoryBudget(bytesMax: 16 << 20),
            broadcaster: observers,
            log: Log(level: .warning))
    }

    /// `GET /running`
    var running: [String] { builds.running }
}

extension BuildServer {
    /// `PUT /builds/{build}`: answers with the id of the change, or nil if it is none.
    func report(_ state: BuildState, of build: String) async throws -> EventID? {
        let topic = try TopicName("builds.\(build)")
        guard builds.note(state, of: build) else { return nil }
        observers.notify((any BuildObserver).self) { $0.build(build, became: state) }
        let batch = PublishBatch(topic: topic, payloads: [Payload(Array(state.rawValue.utf8))])
        return try await history.publish(batch).last
    }
}

/// What a reader of the history is told.
enum BuildChange: Equatable, Sendable {
    /// A build changed.
    case change(EventID, topic: TopicName, to: BuildState?)
    /// Changes up to this id may be missing.
    case lost(through: EventID)
}

/// One reader of all builds: a selector, and how far it is.
struct BuildReader {
    private let history: EventBus
    private let builds: Selector
    private var position: LogPosition

    init(_ history: EventBus, from start: StartPosition) throws {
        self.history = history
        builds = try Selector("builds.>")
        position = history.position(start, matching: builds, filter: .all)
    }

    /// Everything up to this id was told: a reader made after it goes on here.
    var cursor: EventID { position.after }

    /// The next changes, a hundred at most; none if there is nothing new.
    mutating func next() -> [BuildChange] {
        let limit = ReadLimit(events: 100, bytes: 1 << 20)
        switch history.read(position, matching: builds, filter: .all, limit: limit) {
        case .events(let events, let next, _):
            position = next
            return events.map { event in
                let text = event.payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                return .change(event.id, topic: event.topic, to: BuildState(rawValue: text))
            }
        case .gap(let gap, let next):
            position = next
            return [.lost(through: gap.through)]
        case .caughtUp(let next):
            position = next
            return []
        case .older:
            preconditionFailure("a store in memory has nothing that memory has not")
        }
    }
}

/// Wakes one reader, once for however much happened meanwhile.
final class Waker: TopicObserver {
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() {
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func admitted(_ admission: Admission) { wake.yield() }

    /// Returns true once something happened since it last did, false if the task is cancelled.
    func wait() async -> Bool {
        for await _ in wakes { return true }
        return false
    }
}

extension BuildServer {
    /// `GET /changes?after={cursor}`: tells all changes after `cursor` as they come, until the
    /// task of the request is cancelled.
    func follow(after cursor: EventID, tell: (BuildChange) async throws -> Void) async throws {
        let waker = Waker()
        observers.register((any TopicObserver).self, observer: waker)
        var reader = try BuildReader(history, from: .after(cursor))
        repeat {
            while case let changes = reader.next(), !changes.isEmpty {
                for change in changes { try await tell(change) }
            }
        } while await waker.wait()
    }
}

extension BuildServer {
    /// Applies what time brings, every second until the timer is cancelled.
    func startHousekeeping() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [history] in history.sweep() }
        timer.activate()
        return timer
    }
}
