/// A topic whose events are values of one type.
///
/// ```swift
/// let deploys = try Topic<Deploy>(
///     "deploys", encode: { try JSONEncoder().encode($0) },
///     decode: { try JSONDecoder().decode(Deploy.self, from: $0) })
/// try await bus.publish(Deploy(version: "v1.2"), to: deploys)
/// for try await delivery in try bus.subscribe(to: deploys) {
///     switch delivery {
///     case .value(let deploy, _): show(deploy.version)
///     case .unreadable(let event, let error): show("\(event.id): \(error)")
///     case .gap: reload()
///     }
/// }
/// ```
///
/// It says how values become bytes and back, and nothing else: anybody may publish other bytes to the
/// topic, and its readers are told of them. Buses of this process and of others take the same one.
public struct Topic<Value: Sendable>: Sendable {
    /// The name of the topic that has its events.
    public let name: TopicName
    private let contentType: EventMetadata
    private let encode: @Sendable (Value) throws -> Payload
    private let decode: @Sendable (Payload) throws -> Value

    /// A topic by its name, and how its values are written and read.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - contentType: The format of the bytes, as its events say it; nil for events that do not
    ///     say it.
    ///   - encode: Makes bytes of a value: `Data`, `[UInt8]` and the like. Called on publishing.
    ///   - decode: Makes a value of them. Called on reading.
    /// - Throws: ``NameError`` if `name` is no name, ``MetadataError`` if `contentType` is none.
    public init<Bytes: RangeReplaceableCollection<UInt8> & SendableMetatype>(
        _ name: String, contentType: String? = "application/json",
        encode: @escaping @Sendable (Value) throws -> Bytes,
        decode: @escaping @Sendable (Bytes) throws -> Value
    ) throws {
        self.name = try TopicName(name)
        self.contentType = try EventMetadata(contentType: contentType)
        self.encode = { Payload(Array(try encode($0))) }
        self.decode = { payload in
            try decode(payload.withUnsafeBytes { Bytes($0) })
        }
    }

    /// Values as events of the topic, which any bus publishes, also as the results of a job.
    ///
    /// - Precondition: There is at least one value.
    /// - Parameters:
    ///   - values: The values, one event each.
    ///   - key: The thing that all of them are about; nil for nothing in particular.
    /// - Throws: The error of `encode`, or ``MetadataError`` for an invalid key.
    public func batch(of values: [Value], key: String? = nil) throws -> PublishBatch {
        let metadata = try EventMetadata(key: key, contentType: contentType.contentType)
        return PublishBatch(
            topic: name, metadata: metadata, payloads: try values.map(encode))
    }

    /// The value of an event, of this topic or of any other.
    ///
    /// - Throws: The error of `decode`.
    public func value(of event: Event) throws -> Value { try decode(event.payload) }

    func typed(_ delivery: Delivery) -> TypedDelivery<Value> {
        switch delivery {
        case .gap(let gap): return .gap(gap)
        case .event(let event):
            do {
                return .value(try value(of: event), event)
            } catch {
                return .unreadable(event, error)
            }
        }
    }
}

extension EventBus {
    /// Publishes one value and returns its place once it is visible.
    ///
    /// - Throws: The error of the topic's `encode`, ``MetadataError`` for an invalid key, else
    ///   ``BusError``; the value is then not in the log and never will be.
    @discardableResult
    public func publish<Value: Sendable>(
        _ value: Value, to topic: Topic<Value>, key: String? = nil
    ) async throws -> PublishReceipt {
        try await publish(topic.batch(of: [value], key: key))
    }

    /// Subscribes to the values of a topic, as ``subscribe(_:since:filter:limit:)`` does to events.
    ///
    /// - Throws: ``BusError/topicUnknown(_:)`` for a name that does not exist, where topics are not made
    ///   by asking.
    public func subscribe<Value: Sendable>(
        to topic: Topic<Value>, since start: StartPosition = .now, filter: EventFilter = .all
    ) throws(BusError) -> TypedSubscription<Value, EventSubscription> {
        TypedSubscription(try subscribe(Selector(topic.name), since: start, filter: filter), topic)
    }
}
