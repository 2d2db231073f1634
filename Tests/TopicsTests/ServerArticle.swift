import Broadcasting
import Protection
import Topics

/// Where a build stands.
enum BuildState: String, Sendable {
    case running, passed, failed
}

/// The builds that the server knows of, shared by all of its requests.
struct BuildTable: Sendable {
    @Protected private var states: [String: BuildState] = [:]

    /// Notes where a build stands, and returns whether that is news.
    func note(_ state: BuildState, of build: String) -> Bool {
        states.updateValue(state, forKey: build) != state
    }

    /// Forgets the builds that have ended, and returns how many those were.
    func forgetEnded() -> Int {
        $states.write { states in
            let before = states.count
            states = states.filter { $0.value == .running }
            return before - states.count
        }
    }

    /// The builds that run at this moment, by name.
    var running: [String] { states.filter { $0.value == .running }.keys.sorted() }
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

/// The parts that the handlers of requests share.
final class BuildServer: Sendable {
    let observers = Broadcaster()
    let failures = FailureCount()
    let history: EventBus
    private let builds = BuildTable()

    /// A server that keeps the last `keep` changes of each build, in 16 MiB at most.
    init(keep: Int = 1_000) throws {
        history = try EventBus(
            memoryBytesMax: 16 << 20,
            keeping: Retention(keep: keep, bytes: nil, age: nil),
            broadcaster: observers)
        observers.register((any BuildObserver).self, observer: failures)
    }

    /// `GET /running`
    var running: [String] { builds.running }

    /// `DELETE /ended`: answers with the number of builds that it has forgotten.
    func forgetEnded() -> Int { builds.forgetEnded() }
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

/// One step of a reader through the history.
enum BuildChange: Equatable, Sendable {
    /// A build changed.
    case change(EventID, topic: TopicName, to: BuildState?)
    /// Changes up to this id may be missing.
    case lost(through: EventID)

    /// The change that an event tells; its topic is the build.
    init(_ event: Event) {
        let text = event.payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        self = .change(event.id, topic: event.topic, to: BuildState(rawValue: text))
    }
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
            return events.map { BuildChange($0) }
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

extension BuildServer {
    /// `GET /changes?after={cursor}`: tells all changes after `cursor` as they come, until the
    /// task of the request is cancelled.
    func follow(after cursor: EventID, tell: (BuildChange) async throws -> Void) async throws {
        let changes = try history.subscribe(Selector("builds.>"), since: .after(cursor))
        for try await delivery in changes {
            switch delivery {
            case .event(let event): try await tell(BuildChange(event))
            case .gap(let gap): try await tell(.lost(through: gap.through))
            }
        }
    }
}
