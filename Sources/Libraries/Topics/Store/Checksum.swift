/// A sum over bytes, to tell bytes that were written in part or changed by chance. It is no
/// protection from anybody who means to change them.
package enum Checksum {
    /// FNV-1a of 64 bits (https://datatracker.ietf.org/doc/html/rfc9923).
    package static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
