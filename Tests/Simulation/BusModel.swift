import Topics

/// The requests to the bus and its answers, and the promises that follow from them: README's
/// guarantees for events, W1 to W7 for jobs. It knows nothing of how the bus works.
struct BusModel {
    /// A batch as its publisher knows it.
    struct Batch {
        let topic: String
        let key: String?
        let texts: [String]
        var attributes = EventAttributes.none
        var outcome = Outcome.open
        /// How often it was sent without an answer so far. One that is lost stays so.
        var pending = 0

        enum Outcome {
            /// Nobody was told: all of it is there, or nothing.
            case open
            case answered(first: UInt64)
            case refused
            /// It is held until it is due; nil where a clock was set since.
            case held(due: Timestamp?)
        }
    }

    /// A job of a group as its workers know it.
    struct Job {
        var attempt = 0
        var holder = 0
        /// Until when nobody else may have it, by the time that passed; nil if it was given back.
        var leasedUntil: Int64?
        /// Until when it rests at least, since it was given back; nil where that is not certain.
        var restsUntil: Int64?
        var isSettled = false
        /// Whether a settlement was sent and not answered.
        var isInDoubt = false
        /// Whether more than one was sent.
        var isRepeated = false
        var isDead = false
        /// Its dead letter, once somebody was told it.
        var letter: UInt64?

        /// Whether it may be over, as far as its workers know: after the last attempt the bus makes it
        /// a dead letter by itself.
        func mayBeOver(at now: Int64) -> Bool {
            let isTried = attempt == SimulatedTopics.attempts && leasedUntil ?? now <= now
            return isSettled || isDead || isInDoubt || isTried
        }
    }

    /// An event that somebody was told.
    struct Seen: Equatable {
        let topic: String
        let text: String
        let key: String?
        /// Its attributes, without those that the bus gives to dead letters.
        let attributes: String

        init(topic: String, text: String, key: String?, attributes: EventAttributes) {
            self.topic = topic
            self.text = text
            self.key = key
            self.attributes = attributes.text
        }

        /// An event whose text ends at its first space.
        init(_ event: Event) {
            topic = event.topic.text
            text = String(event.payload.text.prefix { $0 != " " })
            key = event.metadata[.key]
            attributes = event.metadata.attributes.revived.text
        }
    }

    private(set) var batches: [Batch] = []
    /// The batch and the place in it of each text.
    private var origins: [String: (batch: Int, index: Int)] = [:]
    private var seen: [UInt64: Seen] = [:]
    private var ids: [String: UInt64] = [:]
    /// Jobs by group and id.
    private(set) var jobs: [String: [UInt64: Job]] = [:]
    /// Requests that were answered, and when others were over, by their texts.
    private var repliedRequests: Set<String> = []
    private var overRequests: [String: Int64] = [:]
    /// Requests for jobs by group that were not answered so far.
    private var unansweredAsks: [String: Int] = [:]
    /// Groups of which a request may have had a job that went to a later request of its worker at once.
    private var overtaken: Set<String> = []
    /// Jobs by group that have to be dead letters, each with the one that was handed out before it was known.
    private var letters: [String: [UInt64: UInt64]] = [:]
    /// The schedules, whose events have one text.
    var schedules = ScheduleModel()
    /// The topics that are expected to have events.
    var silences = SilenceModel()
    /// The topic to which writers publish under conditions.
    var register = RegisterModel()
    /// The first promise that was broken.
    private(set) var finding: String?

    mutating func fail(_ text: String) { finding = finding ?? text }

    // MARK: Events

    /// A publisher asks for a batch. Returns its number.
    mutating func asked(_ batch: Batch) -> Int {
        for (index, text) in batch.texts.enumerated() { origins[text] = (batches.count, index) }
        batches.append(batch)
        batches[batches.count - 1].pending = 1
        return batches.count - 1
    }

    /// The publisher sends a batch with a key again. Returns whether it was told that it is there.
    mutating func repeats(_ number: Int) -> Bool {
        batches[number].pending += 1
        switch batches[number].outcome {
        case .held: break
        case .answered: return true
        case .refused: batches[number].outcome = .open
        case .open: break
        }
        return false
    }

    /// The key that the next publisher gives to its batch; two of three give none.
    func nextKey() -> IdempotencyKey? {
        let number = UInt64(batches.count)
        guard number % 3 == 0 else { return nil }
        return IdempotencyKey(
            IdempotencyKey.Identity(high: 1, low: number), print: number, windowSeconds: 10 * 86_400
        )
    }

    /// The attributes that the next publisher gives to its events; every other one gives none.
    func nextAttributes() throws -> EventAttributes {
        batches.count % 2 == 0 ? .none : try EventAttributes(["n": "\(batches.count)"])
    }

    /// The publisher was told the places of its batch.
    mutating func answered(_ number: Int, first: UInt64, last: UInt64) {
        let batch = batches[number]
        batches[number].pending -= 1
        batches[number].outcome = .answered(first: first)
        if last - first + 1 != UInt64(batch.texts.count) {
            fail("batch \(number) of \(batch.texts.count) events has the ids \(first) to \(last)")
        }
        for (index, text) in batch.texts.enumerated() {
            saw(
                first + UInt64(index),
                Seen(topic: batch.topic, text: text, key: batch.key, attributes: batch.attributes),
                at: nil)
        }
    }

    /// The publisher was told that its batch is held, and since when it is due.
    mutating func held(_ number: Int, until due: Timestamp) {
        batches[number].pending -= 1
        batches[number].outcome = .held(due: due)
    }

    /// The publisher asks that a batch is cancelled which is held: nobody knows what became of it.
    mutating func cancels(_ number: Int) { batches[number].outcome = .open }

    /// The publisher was told that its batch was cancelled: it is never there.
    mutating func cancelled(_ number: Int) {
        batches[number].outcome = .refused
        if batches[number].texts.contains(where: { ids[$0] != nil }) {
            fail("batch \(number) is cancelled, and is in the log")
        }
    }

    /// A clock was set: how long events are held cannot be read from their times.
    mutating func forgetDues() {
        for number in batches.indices {
            if case .held = batches[number].outcome { batches[number].outcome = .held(due: nil) }
        }
    }

    /// The publisher was told that its batch is not in the log. That is certain once all that were sent
    /// with its key are answered, and no other one was taken.
    mutating func refused(_ number: Int) {
        batches[number].pending -= 1
        if case .answered = batches[number].outcome { return }
        if batches[number].pending <= 0 { batches[number].outcome = .refused }
    }

    /// Somebody was told an event: nobody is ever told another one of its id, or it under another
    /// id, or one that was refused.
    ///
    /// - Parameter time: The time of the event, if it was told.
    mutating func saw(_ id: UInt64, _ event: Seen, at time: Timestamp?) {
        if let known = seen[id] {
            if known != event { fail("\(id) is \(event), and was \(known)") }
            return
        }
        seen[id] = event
        if event.topic == SimulatedTopics.ticks {
            if let time, let text = schedules.saw(event.text, id, at: time) { fail(text) }
            return
        }
        guard let (number, index) = origins[event.text] else {
            if SimulatedTopics.isAnnouncement(event) { return }
            return fail("\(id) has a text that nobody published: \(event.text)")
        }
        if batches[number].attributes.text != event.attributes {
            fail("\(id) has the attributes '\(event.attributes)', not those of its publisher")
        }
        // A dead letter has the text of its job, and its attributes.
        if event.topic == SimulatedTopics.dead { return }
        if let other = ids[event.text] { fail("\(event.text) has the ids \(other) and \(id)") }
        ids[event.text] = id
        let batch = batches[number]
        if batch.topic != event.topic || batch.key != event.key {
            fail("\(id) is in \(event.topic) with key \(event.key ?? "-"), not as it was published")
        }
        switch batch.outcome {
        case .open: break
        case .refused: fail("\(id) was refused, and is there: \(event.text)")
        case .held(let due):
            if let due, let time, time < due { fail("\(id) is told as of \(time), before \(due)") }
        case .answered(let first):
            if first + UInt64(index) != id {
                fail("\(event.text) is at \(id), not behind \(first)")
            }
        }
    }

    /// Ids of events that somebody was told, of some topics.
    func ids(where isMeant: (Seen) -> Bool) -> [UInt64] {
        seen.filter { isMeant($0.value) }.keys.sorted()
    }

    /// Whether an event is a request, which is told to nobody once its time is over.
    func isRequest(_ id: UInt64) -> Bool { seen[id]?.topic == SimulatedTopics.asked }

    /// Of a batch that somebody saw a part of, all parts were seen; of one that was answered too.
    mutating func checkBatches() {
        for (number, batch) in batches.enumerated() {
            let places = batch.texts.map { ids[$0] }
            let isThere = places.contains { $0 != nil }
            if isThere, SimulatedTopics.unbounded.contains(batch.topic), places.contains(nil) {
                fail("of batch \(number) there is only a part: \(batch.texts)")
            }
            if case .held = batch.outcome, !isThere {
                fail("batch \(number) was held, and never came: \(batch.texts)")
            }
        }
    }

    /// A reader was told every event of its selector that anybody was told, or has it in a gap.
    mutating func check(_ readers: [SimulatedReader]) {
        for reader in readers {
            for id in ids(where: {
                (try? TopicName($0.topic)).map(reader.selector.matches) ?? false
            })
            where !reader.knows(id) && !isRequest(id) {
                fail("\(id) is missing for \(reader.selector) from \(reader.start)")
            }
        }
    }

    // MARK: Requests

    /// R1: the reply is the one for this request, is told once, and its job is done, or on the way to
    /// be.
    mutating func replied(_ number: Int, _ reply: String) {
        let text = batches[number].texts[0]
        if !reply.isEmpty, reply != "re \(text)" { fail("R1: \(text) has the reply \(reply)") }
        if !repliedRequests.insert(text).inserted { fail("R1: \(text) has two replies") }
        let job = ids[text].flatMap { jobs[SimulatedTopics.answeringGroup]?[$0] }
        let isDone = job.map { $0.isSettled || $0.isInDoubt } ?? false
        if !isDone { fail("R1: \(text) has a reply, and nobody did it") }
    }

    /// The time of a request is over, and its requester was told so.
    mutating func requestEnded(_ number: Int, at now: Int64) {
        overRequests[batches[number].texts[0]] = now
    }

    /// The clock is set, or the bus begins anew after it was: requests that were over may have time
    /// left by it.
    mutating func forgetRequests() { overRequests = [:] }

    // MARK: Jobs

    /// A worker, and whether it has a name, by which it gets again what it holds.
    struct Holder {
        let number: Int
        let isNamed: Bool
        /// Whether it had no other request under way.
        let isAlone: Bool
    }

    /// A worker was handed a job, at a time. The bus decided that earlier: its commit lies between.
    mutating func handed(
        _ id: UInt64, of group: String, attempt: Int, to worker: Holder, at now: Int64,
        decided: Int64, until end: Int64
    ) {
        var job = jobs[group]?[id] ?? Job()
        // Of its requests at several hosts, the answer of the slower one comes last.
        if worker.isNamed, !worker.isAlone, job.isSettled || job.isDead || attempt < job.attempt {
            return
        }
        if job.isSettled { fail("W1: \(id) of \(group) is handed out, and was settled") }
        if job.isDead { fail("W1: \(id) of \(group) is handed out, and is a dead letter") }
        let isAgain = worker.isNamed && job.holder == worker.number
        if let end = job.leasedUntil, now < end, !job.isInDoubt, !isAgain {
            fail("W4: \(id) of \(group) is handed on \(end - now) µs before its lease is over")
        }
        if let end = job.restsUntil, now < end {
            fail("\(id) of \(group) comes again \(end - now) µs before its delay is over")
        }
        if attempt <= job.attempt { fail("W5: attempt \(attempt) of \(id) follows \(job.attempt)") }
        if group == SimulatedTopics.answeringGroup {
            if let text = seen[id]?.text, let over = overRequests[text], over < decided {
                fail("R2: \(id) is handed out, and its request is over")
            }
        } else if group != SimulatedTopics.holdingGroup, attempt > SimulatedTopics.attempts {
            fail("\(id) of \(group) is tried \(attempt) times")
        }
        if group == SimulatedTopics.orderedGroup { checkOrder(of: id, in: group, at: now) }
        job.attempt = attempt
        job.holder = worker.number
        job.leasedUntil = end
        job.restsUntil = nil
        (job.isInDoubt, job.isRepeated) = (false, false)
        jobs[group, default: [:]][id] = job
    }

    /// W7: the job of a key that a worker has is the first one that is not over.
    private mutating func checkOrder(of id: UInt64, in group: String, at now: Int64) {
        guard let event = seen[id], let key = event.key else { return }
        let earlier = ids { $0.key == key && SimulatedTopics.unbounded.contains($0.topic) }
        for other in earlier.prefix(while: { $0 < id }) {
            let isOver = jobs[group]?[other].map { $0.mayBeOver(at: now) } ?? false
            guard !isOver else { continue }
            // Hand-outs that nobody was told may have been its last attempts: then it is a letter, and
            // stays one.
            let isNoted = letters[group]?[other] != nil
            if isNoted || overtaken.contains(group) || unansweredAsks[group, default: 0] > 0 {
                letters[group, default: [:]][other] = id
            } else {
                fail("W7: \(id) of key \(key) is handed out before \(other) is over")
            }
        }
    }

    /// A worker asks for jobs.
    mutating func askedForJobs(of group: String) { unansweredAsks[group, default: 0] += 1 }

    /// - Parameter isOvertaken: Whether it brought no job, and others of its worker were under way: what it
    ///   took may have gone to one of those.
    mutating func answeredAsk(of group: String, isOvertaken: Bool) {
        unansweredAsks[group, default: 0] -= 1
        if isOvertaken { overtaken.insert(group) }
    }

    /// A worker sends a settlement, whose answer it may never get.
    mutating func settling(_ id: UInt64, of group: String) {
        if jobs[group]?[id]?.isInDoubt == true { jobs[group]?[id]?.isRepeated = true }
        jobs[group]?[id]?.isInDoubt = true
    }

    /// A worker lets go of its jobs: others may have them at once.
    mutating func letGo(of group: String, by worker: Int) {
        for (id, job) in jobs[group] ?? [:] where job.holder == worker {
            jobs[group]?[id]?.leasedUntil = nil
        }
    }

    /// A worker asks for more time: until it is answered, the shorter one of both may hold.
    mutating func extending(_ id: UInt64, of group: String, by worker: Int, to end: Int64) {
        guard let job = jobs[group]?[id], job.holder == worker, let old = job.leasedUntil else {
            return
        }
        jobs[group]?[id]?.leasedUntil = min(old, end)
    }

    /// A lease of jobs was extended: all of them, unless it had passed. Then it may be some, and nobody is told
    /// which.
    mutating func extended(
        _ ids: [UInt64], of group: String, by worker: Int, to end: Int64, at now: Int64
    ) {
        for id in ids {
            guard let job = jobs[group]?[id], job.holder == worker, let old = job.leasedUntil
            else { continue }
            jobs[group]?[id]?.leasedUntil = ids.count == 1 || now < old ? end : nil
        }
    }

    /// Until when jobs rest at least that a worker gives back at a time: as long as it says, or 1 s,
    /// doubled with each attempt, up to 5 min.
    func rests(
        of ids: [UInt64], in group: String, _ delay: Int64?, from now: Int64
    ) -> [UInt64: Int64] {
        var rests: [UInt64: Int64] = [:]
        for id in ids {
            guard let attempt = jobs[group]?[id]?.attempt else { continue }
            rests[id] = now + (delay ?? min(1_000_000 << Int64(min(attempt - 1, 20)), 300_000_000))
        }
        return rests
    }

    /// The machine began anew, and its clock was set: delays go by that.
    mutating func forgetRests() {
        for group in jobs.keys {
            for id in jobs[group, default: [:]].keys { jobs[group]?[id]?.restsUntil = nil }
        }
    }

    /// The settlement was answered: the job is over, or comes again.
    mutating func settled(
        _ id: UInt64, of group: String, _ verb: SimulatedWorker.Verb, restsUntil end: Int64? = nil
    ) {
        jobs[group]?[id]?.isInDoubt = false
        switch verb {
        case .done: jobs[group]?[id]?.isSettled = true
        case .retry:
            jobs[group]?[id]?.leasedUntil = nil
            jobs[group]?[id]?.restsUntil = end
        case .dead: jobs[group]?[id]?.isDead = true
        }
    }

    /// A worker was told that its lease is over. It may be that only once its time has passed.
    mutating func lost(_ id: UInt64, of group: String, by worker: Int, at now: Int64) {
        guard let job = jobs[group]?[id], job.holder == worker else { return }
        // An earlier one of its settlements may have been taken.
        if job.isRepeated {
            jobs[group]?[id]?.leasedUntil = nil
        } else if let end = job.leasedUntil, now < end {
            fail("W3: the lease of \(id) was lost \(end - now) µs before its end")
        }
    }

    /// A dead letter is there: its job is over, and was not done.
    mutating func buried(_ id: UInt64, of group: String, letter: UInt64) {
        if jobs[group]?[id]?.isSettled == true {
            fail("W1: \(id) of \(group) was done, and is the dead letter \(letter) too")
        }
        if let other = jobs[group]?[id]?.letter, other != letter {
            fail("W1: \(id) of \(group) is the dead letters \(other) and \(letter)")
        }
        jobs[group, default: [:]][id, default: Job()].isDead = true
        jobs[group]?[id]?.letter = letter
    }

    /// W2, W7: once nothing is open, every event of a group is done, a dead letter, or was in doubt.
    mutating func checkJobs(of group: String) {
        for (id, later) in letters[group] ?? [:] where jobs[group]?[id]?.letter == nil {
            fail("W7: \(later) was handed out before \(id), which is no dead letter")
        }
        for id in ids(where: { SimulatedTopics.topics(of: group).contains($0.topic) }) {
            let job = jobs[group]?[id]
            let isOver = job.map { $0.isSettled || $0.isDead || $0.isInDoubt } ?? false
            if !isOver { fail("W2: \(id) is neither done nor a dead letter of \(group)") }
            if let job, job.isDead, job.letter == nil {
                fail("W2: \(id) of \(group) is dead, and there is no letter")
            }
        }
    }
}

/// The topics and groups of a simulated bus.
enum SimulatedTopics {
    /// Topics that lose nothing, which the groups are of.
    static let unbounded = ["jobs.a", "jobs.b"]
    /// A topic that keeps a few events.
    static let bounded = "few"
    /// Topics of which a start, or the time, may take events.
    static let aging = "aging"
    static let fleeting = "fleeting"
    /// A topic that keeps a few events, and all that its group has not settled.
    static let held = "held"
    static let holdingGroup = "holding"
    /// Groups that get every event of their topics.
    static let groups = [group, orderedGroup, holdingGroup]

    static func topics(of group: String) -> [String] {
        group == holdingGroup ? [held] : unbounded
    }

    /// Where the events of schedules go.
    static let ticks = "ticks"
    /// A topic without events whose settings several users change.
    static let shared = "shared"
    /// A topic that loses nothing, to which writers publish under conditions.
    static let register = "register"
    /// Longer than a run takes.
    static let longTime: Int64 = 100 * 86_400_000_000
    /// Topics that are expected to have events: one that persists, and one that does not.
    static let quiet = "quiet"
    static let fading = "fading"
    static let expected = [quiet, fading]

    /// Whether the bus itself may have published an event: it says of a topic that it is silent, or is not any more.
    static func isAnnouncement(_ event: BusModel.Seen) -> Bool {
        expected.contains(event.topic) && ["No", "Events"].contains(event.text)
    }

    /// Where requests go. They end with their time.
    static let asked = "asked"
    static let answeringGroup = "answering"
    /// Where dead letters go.
    static let dead = "dead"
    static let group = "free"
    /// How often a job is tried.
    static let attempts = 4
    static let orderedGroup = "ordered"

    /// The settings of a group.
    static func settings(of group: String) throws -> GroupSettings {
        var settings = GroupSettings()
        settings.lease = .seconds(10)
        switch group {
        case holdingGroup: settings.selector = try Selector(held)
        case answeringGroup:
            settings.selector = try Selector(asked)
            settings.replies = true
        default:
            settings.selector = try Selector("jobs.*")
            settings.attempts = attempts
            settings.dead = .topic(try TopicName(dead))
            settings.isOrderedByKey = group == orderedGroup
        }
        return settings
    }
}
