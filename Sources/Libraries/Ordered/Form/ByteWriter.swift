internal import Topics

/// Writes values one after the other as bytes, each in exactly one way.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(byte: UInt8) { bytes.append(byte) }

    /// A number in groups of seven bits, the lowest first; every byte but the last has its highest
    /// bit set (LEB128).
    mutating func write(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A number with a sign: small ones of either sign take few bytes.
    mutating func write(signed number: Int64) {
        write(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// 16 bytes, the highest first.
    mutating func write(wide number: UInt128) {
        write(fixed: number)
    }

    private mutating func write(fixed number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// A number that may be absent.
    mutating func write(optional number: UInt64?) {
        write(byte: number == nil ? 0 : 1)
        if let number { write(number) }
    }

    /// A text that may be absent.
    mutating func write(optional text: String?) {
        write(byte: text == nil ? 0 : 1)
        if let text { write(text) }
    }

    mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func write(_ payload: Payload) {
        write(UInt64(payload.count))
        payload.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Bytes up to the end, whose length nobody has to know.
    mutating func write(rest: some Sequence<UInt8>) { bytes.append(contentsOf: rest) }

    /// The sum of all bytes so far, as the last eight.
    mutating func writeSum() {
        write(fixed: bytes.withUnsafeBytes(Checksum.fnv1a))
    }
}

extension FixedWidthInteger {
    /// The number in its bytes, the highest first.
    init(highestFirst bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self($1) }
    }
}
