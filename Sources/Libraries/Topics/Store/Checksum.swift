/// A sum over bytes, to tell bytes that were written in part or changed by chance. It is no
/// protection from anybody who means to change them.
package enum Checksum {
    /// FNV-1a of 64 bits (https://datatracker.ietf.org/doc/html/rfc9923).
    ///
    /// Not generic: a caller of another module would ask a table what to do with each byte.
    package static func fnv1a(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return sum
    }
}
