internal import JSON
internal import Topics
internal import Wire

/// The content of one line of an NDJSON stream.
enum StreamLine {
    /// The next event.
    case event(Event)
    /// The cursor moved without an event.
    case cursor(EventID)
    /// Events may be missing.
    case gap(Gap)
    /// The bus is still there.
    case heartbeat
    /// A line that no bus writes.
    case unknown
}

/// Reads the lines of one stream.
struct StreamLineReader {
    /// The topic of the line before: most lines have the same one.
    private var topic: TopicName?

    /// Reads a line.
    mutating func read(_ line: UnsafeRawBufferPointer) -> StreamLine {
        if line.isEmpty { return .heartbeat }
        var envelope = EnvelopeReader()
        var (cursor, gap) = (EventID?.none, Gap?.none)
        var reader = JSONReader(line)
        let isObject = reader.object { name, reader in
            if name.spells("cursor") {
                cursor = reader.string().flatMap { EventID(decimal: $0) }
                return cursor != nil
            }
            if name.spells("gap") {
                gap = Gap(reading: &reader)
                return gap != nil
            }
            return envelope.read(name, &reader)
        }
        guard isObject, reader.isAtEnd() else { return .unknown }
        if let gap { return .gap(gap) }
        if let cursor { return .cursor(cursor) }
        return envelope.event(like: &topic).map { .event($0) } ?? .unknown
    }
}

extension Gap {
    /// Reads `{"after":"…","through":"…"}`.
    init?(reading reader: inout JSONReader) {
        var (after, through) = (EventID?.none, EventID?.none)
        let isObject = reader.object { name, reader in
            guard let id = reader.string().flatMap({ EventID(decimal: $0) }) else { return false }
            if name.spells("after") { after = id }
            if name.spells("through") { through = id }
            return true
        }
        guard isObject, let after, let through else { return nil }
        self.init(after: after, through: through)
    }
}
