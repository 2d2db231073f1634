internal import Queues
package import Topics

/// Follows an order on one host, as a machine without clock, thread and I/O: from the appends that
/// an order shows to the groups that a replica applies.
///
/// The groups follow from the appends alone, so they are the same on all hosts. An append that does
/// not follow the last one, or that cannot be read, is applied nowhere: the host stops with a
/// sentence.
///
/// Parts of groups, up to 256 MiB of them, and tokens are remembered for ``remembered`` appends. A
/// start reads twice as many again, which tell it the same as a host that did not stop. So an order
/// keeps at least those.
package struct Applier {
    /// The number of the rules that this program knows.
    package static let rules: UInt32 = 1
    /// So many appends a token is remembered, and a part waits for the rest of its group.
    package static let remembered: Int64 = 1_000

    private let remembered: Int64

    /// The next thing to do with an append.
    package enum Step: Sendable {
        /// The replica is to apply this group.
        case apply(AskedGroup)
        /// Nothing: the replica has it.
        case skip
        /// The host follows the order no further.
        case stop(OrderFault)
    }

    private struct Past {
        let token: UInt128
        let chain: UInt128
    }

    private struct Parts {
        let began: Int64
        let count: UInt32
        var found: UInt32 = 0
        var bytes: [UInt8] = []
    }

    /// The place of the last group that was handed on.
    private var place: OrderPlace
    /// The place that the replica had at the start.
    private let start: OrderPlace
    /// The last append that was looked at.
    private var last: Int64
    /// The last appends, up to `last`.
    private var past = Ring<Past>()
    /// The last append with each token of `past`.
    private var tokens: [UInt128: Int64] = [:]
    private var parts: [UInt128: Parts] = [:]
    private var fault: OrderFault?

    /// - Parameters:
    ///   - place: The last place that the replica has.
    ///   - low: The first append that the order still has.
    ///   - remembered: How many appends it remembers: the same on all hosts of an order.
    package init(
        behind place: OrderPlace, low: Int64, remembering remembered: Int64 = Applier.remembered
    ) {
        self.remembered = remembered
        self.place = place
        start = place
        let first = max(place.sequence - 2 * remembered + 1, 1)
        last = first - 1
        if low > first { fault = .hole(after: first - 1, found: low) }
    }

    /// The next append that it wants.
    package var next: Int64 { last + 1 }

    /// Takes the next append.
    package mutating func take(_ item: OrderedItem) -> Step {
        if let fault { return .stop(fault) }
        // An order may show an append twice.
        guard item.sequence > last else { return .skip }
        do throws(OrderFault) {
            guard let group = try group(of: item) else { return .skip }
            return .apply(group)
        } catch {
            fault = error
            return .stop(error)
        }
    }

    private mutating func group(of item: OrderedItem) throws(OrderFault) -> AskedGroup? {
        let sequence = item.sequence
        guard sequence == next else { throw .hole(after: last, found: sequence) }
        try checkChain(of: item)
        let isRepeated = tokens[item.token] != nil
        remember(item)
        let form = try Self.form(item.bytes, sequence)
        if sequence <= start.sequence {
            // The replica has it, and may need it as a part of a later one.
            if !isRepeated { _ = join(form, sequence) }
            return nil
        }
        guard (place.line...Limits.lineMax).contains(item.line) else { throw .oldLine(sequence) }
        try checkIssuer(of: form, sequence)
        guard form.rules <= Self.rules else { throw .newerRules(sequence, form.rules) }
        let latest = form.issuer.time.advanced(microseconds: Limits.clockLeadMicroseconds)
        let time = max(place.time, min(item.time, latest, .latest))
        place = OrderPlace(sequence: sequence, chain: item.chain, line: item.line, time: time)
        // The order took it twice. The first time counts.
        guard !isRepeated, let whole = try whole(form, sequence),
            case .entries(let entries, let settings) = whole.content
        else { return AskedGroup(place: place, entries: []) }
        return AskedGroup(
            place: place, settings: settings, entries: entries.map { $0.applied(at: time) })
    }

    // MARK: The past

    private func checkChain(of item: OrderedItem) throws(OrderFault) {
        let before: UInt128?
        switch item.sequence - 1 {
        case start.sequence: before = start.chain
        case let sequence: before = chain(at: sequence)
        }
        if let before, OrderedItem.chain(after: before, token: item.token) != item.chain {
            throw .otherPast(item.sequence)
        }
        if item.sequence == start.sequence, item.chain != start.chain {
            throw .otherPast(item.sequence)
        }
    }

    private func checkIssuer(of form: GroupForm, _ sequence: Int64) throws(OrderFault) {
        let issuer = form.issuer
        let known = issuer.sequence == start.sequence ? start.chain : chain(at: issuer.sequence)
        guard issuer.sequence < sequence, known ?? issuer.chain == issuer.chain else {
            throw .otherIssuer(sequence, host: issuer.host)
        }
    }

    /// The chain behind one of the last appends; nil where it is not remembered.
    private func chain(at sequence: Int64) -> UInt128? {
        let index = sequence - (last - Int64(past.count) + 1)
        return 0..<Int64(past.count) ~= index ? past[Int(index)].chain : nil
    }

    private mutating func remember(_ item: OrderedItem) {
        last = item.sequence
        past.append(Past(token: item.token, chain: item.chain))
        tokens[item.token] = last
        guard past.count >= remembered else { return }
        let oldest = last - Int64(past.count) + 1
        let gone = past.removeFirst()
        if tokens[gone.token] == oldest { tokens[gone.token] = nil }
        if !parts.isEmpty { parts = parts.filter { $0.value.began > oldest } }
    }

    // MARK: Parts

    private static func form(
        _ bytes: [UInt8], _ sequence: Int64
    ) throws(OrderFault) -> GroupForm {
        do throws(GroupFormError) {
            return try GroupForm(bytes)
        } catch {
            throw .form(sequence, error)
        }
    }

    /// The group of a form; nil where it is a part, and not the last one of its group.
    private mutating func whole(
        _ form: GroupForm, _ sequence: Int64
    ) throws(OrderFault) -> GroupForm? {
        guard case .part = form.content else { return form }
        guard let bytes = join(form, sequence) else { return nil }
        let whole = try Self.form(bytes, sequence)
        guard case .entries = whole.content else {
            throw .form(sequence, .damaged("it is a part of a part"))
        }
        return whole
    }

    /// Joins a part to those before it. Returns the bytes of the group with its last part. A part
    /// that does not follow the one before it ends its group.
    private mutating func join(_ form: GroupForm, _ sequence: Int64) -> [UInt8]? {
        guard case .part(let part) = form.content else { return nil }
        var joined = parts.removeValue(forKey: part.token)
        if part.index == 0 { joined = Parts(began: sequence, count: part.count) }
        guard var joined, joined.count == part.count, joined.found == part.index else { return nil }
        joined.found += 1
        joined.bytes += part.bytes
        if joined.found == joined.count { return joined.bytes }
        parts[part.token] = joined
        dropOldParts()
        return nil
    }

    /// Drops the groups that began first while the parts take too many bytes. Whether one is dropped
    /// follows from those that began behind it, which a host that starts later knows too.
    private mutating func dropOldParts() {
        var bytes = parts.values.reduce(0) { $0 + $1.bytes.count }
        while bytes > Limits.partsBytesMax,
            let oldest = parts.min(by: { $0.value.began < $1.value.began })
        {
            bytes -= oldest.value.bytes.count
            parts[oldest.key] = nil
        }
    }
}
