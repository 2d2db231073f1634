/// The next event of one topic while several are merged by id.
struct TopicHead: Comparable {
    let id: EventID
    let record: TopicRecord

    static func < (left: TopicHead, right: TopicHead) -> Bool { left.id < right.id }
    static func == (left: TopicHead, right: TopicHead) -> Bool { left.id == right.id }
}
