public import Topics

/// What a group is to be. A property that is nil is not named.
///
/// A new group needs its selector, and gets the default of what is not named. A group that is there
/// keeps what is not named. Its selector, type, order, persistence and whether it replies never
/// change: to name another one than it has is ``WorkError/groupDiffers(_:setting:)``.
public struct GroupSettings: Sendable {
    /// Its topics (`of`).
    public var selector: Selector?
    /// The only type of events that it takes (`type`); all by default.
    public var type: String?
    /// Where a new group begins (`since`); `earliest` by default.
    public var start: StartPosition?
    /// How long a lease lasts (`lease`), 1 s to 12 h; 60 s by default.
    public var lease: Duration?
    /// How often a job is handed out before it is a dead letter (`attempts`), 1 to 1,000; 5 by
    /// default.
    public var attempts: Int?
    /// Where dead letters go (`dead`); nowhere by default.
    public var dead: DeadLetters?
    /// Whether at most one job of a key is open, in the order of ids (`order`); it is not by default.
    public var isOrderedByKey: Bool?
    /// How many jobs are leased at once at most (`in_flight`), 1 to 10,000; 1,000 by default.
    public var inFlightMax: Int?
    /// Whether its workers answer requests (`replies`); they do not by default.
    public var replies: Bool?
    /// Whether its progress survives a restart (`persist`), where a store can do that; it does by
    /// default.
    public var persists: Bool?

    /// Where dead letters go.
    public enum DeadLetters: Hashable, Sendable {
        /// Nowhere: jobs are tried for ever.
        case nowhere
        /// To this topic, which is not one of the group's own.
        case topic(TopicName)
    }

    /// Settings that name nothing.
    public init() {}

    /// Settings of a group of these topics, which name nothing else.
    public init(of selector: Selector) { self.selector = selector }
}

extension GroupSettings {
    /// Checks what no store would refuse.
    func check() throws(WorkError) {
        do throws(AttributeError) {
            _ = try EventAttributes(type: type)
        } catch {
            throw .valueInvalid(error.description)
        }
    }
}
