import Protection
import StoreSupport
import TestSupport
import Topics

/// A run of a seed, step by step.
///
/// Each step has random numbers of its own. So a run without some of its steps is a run too, and a
/// finding can be made short.
protocol SimulatedRun: AnyObject {
    associatedtype Fault: PlantedFault

    var seed: UInt64 { get }
    var model: BusModel { get set }
    var readers: [SimulatedReader] { get set }
    var story: RunStory<Fault> { get set }
    /// The batches that are held, with their tickets.
    var tickets: [HeldTicket] { get set }

    /// Does one step.
    func step(using random: inout SeededRandom) throws

    /// Lets everybody come to the end, and checks it.
    func finish() throws

    /// The readers that wait, of each life with its bus.
    var waitingReaders: [(readers: WaitingReaders, bus: EventBus)] { get }

    /// One request of a reader.
    func read(_ index: Int, using random: inout SeededRandom)

    /// Lets everything that is under way come to rest.
    func settle()

    /// Lets go of everything.
    func close()
}

/// A fault that is planted on purpose.
protocol PlantedFault: Equatable, Sendable {
    /// The fault of answers to readers; nil for others.
    var read: ReadFault? { get }
    /// The faults of events that are held.
    static var losesHeld: Self { get }
    static var releasesEarly: Self { get }
    static var cancelsNothing: Self { get }
    static var ticksTwice: Self { get }
    /// The faults of publishes under conditions.
    static var ignoresConditions: Self { get }
    static var judgesConditionsEarly: Self { get }
}

/// The story of a run, for a person that looks into a finding, and the fault that is planted in it.
struct RunStory<Fault: PlantedFault> {
    let fault: Fault?
    let isTold: Bool
    fileprivate(set) var lines: [String] = []
    /// How often the fault could have shown.
    fileprivate var chances = 0

    init(with fault: Fault?, isTold: Bool) {
        self.fault = fault
        self.isTold = isTold
    }
}

extension SimulatedRun {
    var lines: [String] { story.lines }

    func note(_ text: @autoclosure () -> String) {
        if story.isTold { story.lines.append(text()) }
    }

    /// Whether a planted fault shows here: each fifth time, or as often as is said.
    func shows(_ planted: Fault, each: Int = 5) -> Bool {
        guard story.fault == planted else { return false }
        story.chances += 1
        return story.chances % each == 0
    }

    /// An answer to a reader, broken where a planted fault shows.
    func told(_ honest: LogRead) -> LogRead {
        guard let fault = story.fault, let changed = fault.read?.change(honest) else {
            return honest
        }
        return shows(fault) ? changed : honest
    }

    /// Somebody was told an event.
    func see(_ event: Event) {
        model.saw(event.id.rawValue, BusModel.Seen(event), at: event.time)
        guard event.topic.text == SimulatedTopics.dead else { return }
        let attributes = event.metadata.attributes
        note("letter \(event.id): \(attributes["deadgroup"] ?? "") \(attributes["deadid"] ?? "")")
        if let group = attributes["deadgroup"], let id = attributes["deadid"].flatMap(UInt64.init) {
            model.buried(id, of: group, letter: event.id.rawValue)
        } else {
            model.fail("the dead letter \(event.id) does not say whose job it was")
        }
    }

    /// Has the readers ask that the bus has told of something. Returns how many.
    @discardableResult
    func readWoken(using random: inout SeededRandom) -> Int {
        let woken = waitingReaders.flatMap { $0.readers.takeWoken() }
        for index in woken { read(index, using: &random) }
        return woken.count
    }

    /// Checks that nobody waits for something that is there: readers are told as it becomes visible.
    private func checkWaiting() {
        for (waiting, bus) in waitingReaders {
            if let text = waiting.overlooked(in: bus) { model.fail(text) }
        }
    }

    /// Lets all readers come to the end.
    func readOn(using random: inout SeededRandom) {
        repeat { settle() } while model.finding == nil && readWoken(using: &random) > 0
        checkWaiting()
        for (waiting, _) in waitingReaders {
            for index in readers.indices { waiting.remove(index) }
        }
        for index in readers.indices {
            readers[index].isCaughtUp = false
            for _ in 0..<10_000 where model.finding == nil && !readers[index].isAtEnd {
                read(index, using: &random)
                settle()
            }
            if !readers[index].isAtEnd { model.fail("a reader does not come to the end") }
        }
    }

    /// All events of a topic that a bus has, as a reader that is alone has them, and the end of what it lost; nil
    /// where the store fails.
    func events(
        of topic: String, on bus: EventBus, after floor: UInt64
    ) throws -> (events: [Event], lostThrough: UInt64)? {
        let (selector, box) = (Selector(try TopicName(topic)), Protected<LogRead?>(nil))
        let limit = ReadLimit(events: 1_000, bytes: 1 << 20)
        var position = LogPosition(after: EventID(rawValue: floor))
        var (events, lost) = ([Event](), UInt64(0))
        for _ in 0..<1_000 {
            var read = bus.read(position, matching: selector, filter: .all, limit: limit)
            var isEnd = true
            if case .older(let older) = read {
                box.value = nil
                bus.readStore(older, matching: selector, filter: .all, limit: limit) {
                    box.value = try? $0.get()
                }
                settle()
                guard let found = box.value else { return nil }
                // What came since then is in the memory of the bus.
                (read, isEnd) = (found, false)
            }
            switch read {
            case .events(let more, let next, _): (events, position) = (events + more, next)
            case .gap(let gap, let next): (lost, position) = (gap.through.rawValue, next)
            case .caughtUp(let next):
                if isEnd { return (events, lost) }
                position = next
            case .older: return nil
            }
        }
        return nil
    }

    /// Runs these steps, and lets everybody come to the end. Returns the first broken promise.
    func run(_ steps: [Int]) throws -> String? {
        for index in steps where model.finding == nil {
            var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(index))
            try step(using: &random)
            readWoken(using: &random)
            checkWaiting()
        }
        if model.finding == nil { try finish() }
        let finding = model.finding
        close()
        return finding
    }
}

extension PublishBatch {
    /// The same, as a publisher without a key sends it.
    var withoutKey: PublishBatch {
        PublishBatch(topic: topic, metadata: metadata, sender: sender, payloads: payloads)
    }
}

extension EventBus {
    /// Registers a topic, as a requester that does not wait for the answer.
    func register(
        _ topic: String, keep: Int? = nil, age: Int64? = nil, persists: Bool = true,
        hold: TopicHolder? = nil, expect: Int64? = nil
    ) throws {
        var settings = TopicSettings(
            retention: Retention(keep: keep, bytes: nil, age: age), persists: persists)
        settings.hold = hold
        settings.expect = expect
        register(try TopicName(topic), settings: settings, by: Sender(uid: 1, pid: nil)) { _ in }
    }
}
