import Topics

/// The decisions of hosts, group by group: all of them decide the same.
// @unchecked: it is in the one thread of its simulation.
final class Witness: @unchecked Sendable {
    private var decided: [Int64: (host: String, sum: Int, entries: [StoreEntry])] = [:]
    /// The first difference.
    private(set) var finding: String?

    func saw(_ group: OrderedGroup, on host: String) {
        let (number, sum) = (group.place.sequence, Self.sum(group.entries))
        guard let known = decided[number] else {
            decided[number] = (host, sum, group.entries)
            return
        }
        guard known.sum != sum, finding == nil else { return }
        finding =
            "M5: group \(number) is \(Self.words(group.entries)) on \(host), and "
            + "\(Self.words(known.entries)) on \(known.host)"
    }

    /// Equal for entries that are alike. Texts of them would take a fifth of a run.
    private static func sum(_ entries: [StoreEntry]) -> Int {
        var sum = Hasher()
        for entry in entries { add(entry, to: &sum) }
        return sum.finalize()
    }

    private static func add(_ entry: StoreEntry, to sum: inout Hasher) {
        switch entry {
        case .events(let batch, let persists, let owner):
            sum.combine(batch.topic)
            for payload in batch.payloads {
                payload.withUnsafeBytes { sum.combine(bytes: $0) }
                sum.combine(payload.count)
            }
            sum.combine(batch.metadata)
            sum.combine(batch.idempotencyKey)
            sum.combine(batch.condition)
            sum.combine(persists)
            sum.combine(owner)
        case .removal(let topic): sum.combine(topic)
        case .registration(let topic, let change, let owner):
            sum.combine(topic)
            sum.combine(change)
            sum.combine(owner)
        case .work(let change):
            sum.combine(change.group)
            sum.combine(change.forgetsJobs)
            sum.combine(change.removesGroup)
            sum.combine(change.record)
            sum.combine(change.open)
            sum.combine(change.settled)
            sum.combine(change.revived)
        case .hold(let held):
            add(.events(held.batch, persists: true), to: &sum)
            sum.combine(held.moment)
            sum.combine(held.ttl)
            sum.combine(held.schedule)
        case .cancel(let ticket, let topic):
            sum.combine(ticket)
            sum.combine(topic)
        case .release: preconditionFailure("an order has no entry for events that are due")
        case .together(let entries):
            for entry in entries { add(entry, to: &sum) }
        }
    }

    private static func words(_ entries: [StoreEntry]) -> String {
        entries.map(words).joined(separator: "; ")
    }

    private static func words(_ entry: StoreEntry) -> String {
        switch entry {
        case .events(let batch, _, let owner):
            let texts = batch.payloads.map { $0.text.prefix { $0 != " " } }
            return
                "\(batch.topic) \(texts) \(batch.metadata.attributes.text) \(String(describing: owner))"
        case .removal(let topic): return "remove \(topic)"
        case .registration(let topic, let change, _): return "register \(topic) \(change)"
        case .work(let change):
            return "\(change.group.rawValue) \(change.forgetsJobs) \(change.removesGroup) "
                + "\(words(change.record)) \(change.open.map(words)) \(change.settled)"
        case .hold(let held): return "hold \(words(.events(held.batch, persists: true)))"
        case .cancel(let ticket, let topic): return "cancel \(ticket) of \(topic)"
        case .release: return "release"
        case .together(let entries): return entries.map(words).joined(separator: ", ")
        }
    }

    private static func words(_ record: GroupRecord?) -> String {
        guard let record else { return "-" }
        return "\(record.reach) \(record.reportedThrough) \(record.epoch) \(record.tally) "
            + "\(record.gap.map { "\($0.after)…\($0.through)" } ?? "-") \(record.settings)"
    }

    private static func words(_ job: JobRecord) -> String {
        let lease = if case .leased(let lease) = job.state { "\(lease.token.low)" } else { "-" }
        return "\(job.id)#\(job.attempt) \(lease) \(job.until)"
    }
}
