internal import Digests
package import Topics

/// One append as an order shows it.
package struct OrderedItem: Hashable, Sendable {
    /// Counts the appends of the order from 1, without a hole.
    package let sequence: Int64
    /// The token of the append.
    package let token: UInt128
    /// A hash over all tokens up to here.
    package let chain: UInt128
    /// Counts the servers that led the order. It never falls.
    package let line: Int64
    /// The time of the server that took it.
    package let time: Timestamp
    /// A ``GroupForm``.
    package let bytes: [UInt8]

    /// An item as given.
    package init(
        sequence: Int64, token: UInt128, chain: UInt128, line: Int64, time: Timestamp,
        bytes: [UInt8]
    ) {
        self.sequence = sequence
        self.token = token
        self.chain = chain
        self.line = line
        self.time = time
        self.bytes = bytes
    }

    /// The chain behind an append: the first 16 bytes of the SHA-256 of the chain before it and its
    /// token. The chain before the first append is the identity of the order's life.
    package static func chain(after chain: UInt128, token: UInt128) -> UInt128 {
        var writer = ByteWriter()
        writer.write(wide: chain)
        writer.write(wide: token)
        let digest = writer.bytes.withUnsafeBytes { Digest.sha256($0) }
        return UInt128(highestFirst: digest.prefix(16))
    }
}
