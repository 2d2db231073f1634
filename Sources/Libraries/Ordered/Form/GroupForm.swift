package import Topics

/// The entries that a host asks an order to take with one append, and the state of that host: as
/// bytes.
///
/// Equal forms are equal bytes. Bytes that are cut, changed, or longer than their form are refused
/// with a sentence, and so are those of a version that this program does not know.
package struct GroupForm: Sendable {
    /// The host that asks, and how far it was.
    package struct Issuer: Hashable, Sendable {
        /// Its name, at most 255 bytes.
        package let host: String
        /// Its clock when it asked.
        package let time: Timestamp
        /// The last group that it had applied.
        package let sequence: Int64
        /// The chain of the order there, as the host knew it.
        package let chain: UInt128

        /// An issuer as given.
        package init(host: String, time: Timestamp, sequence: Int64, chain: UInt128) {
            precondition(host.utf8.count <= Limits.hostBytesMax, "a host is called \(host)")
            self.host = host
            self.time = time
            self.sequence = sequence
            self.chain = chain
        }
    }

    /// The content of a group.
    package enum Content: Sendable {
        /// Entries, and settings that hold from this group on; nil where they stay as they are.
        case entries([OrderedEntry], settings: OrderSettings?)
        /// A part of the bytes of a group that is too large for one append.
        case part(GroupPart)
    }

    /// The number of the rules by which it is to be applied.
    package let rules: UInt32
    package let issuer: Issuer
    package let content: Content

    /// A group as given.
    package init(rules: UInt32, issuer: Issuer, content: Content) {
        self.rules = rules
        self.issuer = issuer
        self.content = content
    }
}

/// A part of the bytes of a group. The group is applied where its last part stands.
package struct GroupPart: Hashable, Sendable {
    /// Names the group.
    package let token: UInt128
    /// Counts its parts from 0.
    package let index: UInt32
    /// How many there are.
    package let count: UInt32
    /// Its bytes.
    package let bytes: [UInt8]

    /// A part as given.
    package init(token: UInt128, index: UInt32, count: UInt32, bytes: [UInt8]) {
        self.token = token
        self.index = index
        self.count = count
        self.bytes = bytes
    }
}

/// Why bytes are no group that can be applied.
package enum GroupFormError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A newer program wrote it.
    case newer(version: UInt8)
    /// The bytes make no sense: how.
    case damaged(String)

    package var description: String {
        switch self {
        case .newer(let version):
            "a group of the order has version \(version), and this program knows version "
                + "\(GroupForm.version): run the newer one on this host too"
        case .damaged(let how): "a group of the order is damaged: \(how)"
        }
    }
}

extension GroupForm {
    /// The first two bytes of every group, and the version behind them.
    private static let mark: [UInt8] = [0x42, 0x4F]
    static let version: UInt8 = 1

    private enum Kind: UInt8 {
        case entries = 0
        case part = 1
    }

    /// The bytes of the form.
    ///
    /// - Complexity: O(bytes).
    package var bytes: [UInt8] {
        switch content {
        case .entries(let entries, let settings):
            return Self.bytes(rules, issuer, settings, entries: entries.map(\.bytes))
        case .part(let part):
            var writer = Self.begin(rules, issuer, .part)
            writer.write(wide: part.token)
            writer.write(UInt64(part.index))
            writer.write(UInt64(part.count))
            writer.write(rest: part.bytes)
            writer.writeSum()
            return writer.bytes
        }
    }

    /// The bytes of a form whose entries are bytes already.
    static func bytes(
        _ rules: UInt32, _ issuer: Issuer, _ settings: OrderSettings?, entries: [[UInt8]]
    ) -> [UInt8] {
        var writer = begin(rules, issuer, .entries)
        writer.write(byte: settings == nil ? 0 : 1)
        if let settings { writer.write(settings) }
        writer.write(UInt64(entries.count))
        for entry in entries { writer.write(rest: entry) }
        writer.writeSum()
        return writer.bytes
    }

    private static func begin(_ rules: UInt32, _ issuer: Issuer, _ kind: Kind) -> ByteWriter {
        var writer = ByteWriter()
        writer.write(rest: mark)
        writer.write(byte: version)
        writer.write(UInt64(rules))
        writer.write(issuer.host)
        writer.write(signed: issuer.time.microseconds)
        writer.write(UInt64(issuer.sequence))
        writer.write(wide: issuer.chain)
        writer.write(byte: kind.rawValue)
        return writer
    }

    /// The form in bytes.
    ///
    /// - Throws: `GroupFormError`, a sentence.
    /// - Complexity: O(bytes).
    package init(_ bytes: [UInt8]) throws(GroupFormError) {
        self = try bytes.withUnsafeBufferPointer { bytes throws(GroupFormError) in
            try GroupForm(UnsafeRawBufferPointer(bytes))
        }
    }

    /// The form in bytes.
    ///
    /// - Throws: `GroupFormError`, a sentence.
    /// - Complexity: O(bytes).
    package init(_ bytes: UnsafeRawBufferPointer) throws(GroupFormError) {
        var reader = ByteReader(bytes)
        for byte in Self.mark where try reader.byte() != byte {
            throw .damaged("it does not begin like one")
        }
        let version = try reader.byte()
        guard version <= Self.version else { throw .newer(version: version) }
        guard version > 0 else { throw .damaged("its version is 0") }
        reader = ByteReader(bytes)
        try reader.checkSum()
        for _ in 0...Self.mark.count { _ = try reader.byte() }
        rules = try reader.number("the number of its rules", in: 0...UInt32.max)
        let host = try reader.text()
        guard host.utf8.count <= Limits.hostBytesMax else {
            throw .damaged("the name of its issuer is too long")
        }
        issuer = Issuer(
            host: host, time: Timestamp(microseconds: try reader.signed()),
            sequence: try reader.number("the place of its issuer", in: 0...Int64.max),
            chain: try reader.wide())
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw .damaged("it is of no kind")
        }
        switch kind {
        case .entries:
            let settings = try reader.flag() ? try reader.settings() : nil
            // An entry has more than one byte, so more cannot be there.
            let count = try reader.number("the number of its entries", in: 0...reader.count)
            var entries: [OrderedEntry] = []
            for _ in 0..<count { entries.append(try reader.entry()) }
            content = .entries(entries, settings: settings)
        case .part:
            let token = try reader.wide()
            let index = try reader.number("the number of a part", in: 0...UInt32.max)
            let count = try reader.number("the count of parts", in: 1...UInt32.max)
            guard index < count else { throw .damaged("part \(index) of \(count)") }
            content = .part(
                GroupPart(token: token, index: index, count: count, bytes: try reader.all()))
        }
        guard reader.count == 0 else { throw .damaged("it goes on behind its end") }
    }
}
