/// The topics that are expected to have events, by the times at which the bus is to say something.
///
/// - Complexity: O(log topics) to change, O(1) to look.
package struct SilenceQueue: Sendable {
    private struct Due: Comparable, Sendable {
        let time: Int64
        let topic: TopicName

        static func < (left: Due, right: Due) -> Bool {
            left.time == right.time ? left.topic.text < right.topic.text : left.time < right.time
        }
    }

    private var dues = IndexedHeap<Due>()
    /// The number of each topic that the heap has.
    private var numbers: [TopicName: Int] = [:]
    /// Numbers of topics that it has no more.
    private var free: [Int] = []

    /// An empty queue.
    package init() {}

    /// Takes in the state of a topic; nil for one that is not expected to have events.
    package mutating func note(_ silence: Silence?, of topic: TopicName) {
        let known = numbers[topic]
        guard let time = silence?.due, time != Silence.never else {
            guard let known else { return }
            dues[known] = nil
            numbers[topic] = nil
            return free.append(known)
        }
        let number = known ?? free.popLast() ?? numbers.count
        if known == nil { numbers[topic] = number }
        dues[number] = Due(time: time, topic: topic)
    }

    /// The topic that comes first of those whose time has come: by their times, then by their names.
    package func first(by now: Int64 = .max) -> TopicName? {
        guard let due = dues.first?.key, due.time <= now else { return nil }
        return due.topic
    }
}
