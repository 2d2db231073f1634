internal import Topics

/// The record of the store's last life, in a small file beside the store. By it, a start recognizes
/// a copy of the store that was put in its place.
///
/// One line of a fixed length, written over the old one and synced: it lies within one sector.
struct LifeRecord: Equatable {
    /// The identity of the store.
    var identity: String
    /// Its starts so far.
    var life: Int64
    /// No id from here on was given.
    var ceiling: UInt64
    /// Whether it was closed in order; `ceiling` is then the next id.
    var isClosed: Bool
    /// Whether every commit was synced.
    var isSynced: Bool
    /// The start of the machine it ran under; empty where nobody can say.
    var boot: String

    init(
        identity: String, life: Int64, ceiling: UInt64, isClosed: Bool, isSynced: Bool,
        boot: String
    ) {
        self.identity = identity
        self.life = life
        self.ceiling = ceiling
        self.isClosed = isClosed
        self.isSynced = isSynced
        self.boot = boot
    }

    /// The record in a file that begins with `bytes`; nil if they are no record.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes.prefix(Limits.lifeRecordBytes), as: UTF8.self)
        let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
        guard words.count == 10, words[0...2] == ["belfry", "store", "1"],
            BusRow.isIdentity(words[3]), let life = Int64(words[4]), Limits.counts.contains(life),
            let ceiling = EventID(decimal: words[5]),
            let isClosed = Self.flag(words[6], "closed", "open"),
            let isSynced = Self.flag(words[7], "full", "normal")
        else { return nil }
        self.init(
            identity: words[3], life: life, ceiling: ceiling.rawValue, isClosed: isClosed,
            isSynced: isSynced, boot: words[8] == "-" ? "" : words[8])
        guard words[9] == checksum else { return nil }
    }

    /// The line, as long as every other one.
    var bytes: [UInt8] {
        let text = "\(content) \(checksum)"
        let blanks = Limits.lifeRecordBytes - 1 - text.utf8.count
        precondition(blanks >= 0, "a life record is too long: \(text)")
        return Array("\(text)\(String(repeating: " ", count: blanks))\n".utf8)
    }

    private var content: String {
        "belfry store 1 \(identity) \(life) \(ceiling) \(isClosed ? "closed" : "open") "
            + "\(isSynced ? "full" : "normal") \(boot.isEmpty ? "-" : boot)"
    }

    private var checksum: String {
        String(Array(content.utf8).withUnsafeBytes(Checksum.fnv1a), radix: 16)
    }

    private static func flag(_ word: String, _ yes: String, _ no: String) -> Bool? {
        word == yes ? true : word == no ? false : nil
    }
}
