/// The name of one topic: 1 to 255 bytes, segments of `[A-Za-z0-9_-]+` joined by dots.
///
/// A leading `$` marks the bus's own topics. Names are compared byte for byte. A name is one
/// reference, hashed once: copying and looking up are cheap.
public struct TopicName: Hashable, Sendable, CustomStringConvertible {
    private final class Storage: Sendable {
        let text: String
        let hash: Int
        let isReserved: Bool

        init(text: String, isReserved: Bool) {
            self.text = text
            self.hash = text.hashValue
            self.isReserved = isReserved
        }
    }

    private let storage: Storage

    /// The topic that `text` names.
    ///
    /// - Throws: `NameError`, which names the wrong byte, its index and the correct form.
    /// - Complexity: O(length), at most 255 bytes are looked at.
    public init(_ text: some StringProtocol) throws(NameError) {
        try self.init(text: String(text), offset: 0)
    }

    init(text: String, offset: Int) throws(NameError) {
        let found = try NameGrammar(allowsWildcards: false, offset: offset).check(text)
        storage = Storage(text: text, isReserved: found.isReserved)
    }

    /// The name as it was written.
    public var text: String { storage.text }

    /// Whether the topic is the bus's own (`$…`), which nobody else publishes to.
    public var isReserved: Bool { storage.isReserved }

    /// The name as it was written.
    public var description: String { storage.text }

    /// Whether both are copies of one name.
    func isCopy(of other: TopicName) -> Bool { storage === other.storage }

    /// Whether both are the same name.
    public static func == (left: TopicName, right: TopicName) -> Bool {
        left.storage === right.storage
            || (left.storage.hash == right.storage.hash && left.storage.text == right.storage.text)
    }

    /// Feeds the hash that was computed when the name was made.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.hash)
    }
}
