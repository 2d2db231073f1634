/// Topics that batches and registrations on their way to the store will make: they count against
/// the limits from the moment they were let in, so that many at once do not pass them together.
///
/// A place belongs to a name and a maker, however many of theirs are on the way, and does not count
/// while the topic is there.
struct ComingTopics {
    /// How many are on the way, by name and maker.
    private var makers: [TopicName: [UInt32?: Int]] = [:]
    private var byOwner: [UInt32?: Int] = [:]
    /// Names that are on the way and not there.
    private(set) var count = 0

    /// Whether a name that is not there has its place.
    func has(_ name: TopicName) -> Bool { makers[name] != nil }

    /// Whether it has the one of that maker.
    func has(_ name: TopicName, of owner: UInt32?) -> Bool { makers[name]?[owner] != nil }

    /// How many names that are not there somebody is about to make.
    func count(of owner: UInt32?) -> Int { byOwner[owner, default: 0] }

    /// Takes a place for a name, or a part of the one it has.
    mutating func reserve(_ name: TopicName, for owner: UInt32?, isThere: Bool = false) {
        if makers[name] == nil, !isThere { count += 1 }
        if makers[name]?[owner] == nil, !isThere { change(owner, by: 1) }
        makers[name, default: [:]][owner, default: 0] += 1
    }

    /// Gives back the place that `reserve` took, when the store has answered.
    mutating func release(_ name: TopicName, for owner: UInt32?, isThere: Bool) {
        guard let left = makers[name]?[owner] else { return }
        makers[name]?[owner] = left == 1 ? nil : left - 1
        if left == 1, !isThere { change(owner, by: -1) }
        guard makers[name]?.isEmpty == true else { return }
        makers[name] = nil
        if !isThere { count -= 1 }
    }

    /// A name is there from now on, or no more.
    mutating func note(_ name: TopicName, isThere: Bool) {
        guard let owners = makers[name]?.keys else { return }
        count += isThere ? -1 : 1
        for owner in owners { change(owner, by: isThere ? -1 : 1) }
    }

    private mutating func change(_ owner: UInt32?, by difference: Int) {
        let sum = byOwner[owner, default: 0] + difference
        byOwner[owner] = sum == 0 ? nil : sum
    }
}
