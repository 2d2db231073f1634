internal import Glibc

/// Bytes that arrive in pieces and are taken in others.
struct ByteQueue: Sendable {
    private var bytes: [UInt8] = []
    private var taken = 0
    /// How far the bytes behind `taken` are known to hold no line end.
    private var searched = 0

    /// How many there are.
    var count: Int { bytes.count - taken }

    var isEmpty: Bool { count == 0 }

    /// The byte at a distance from the first.
    subscript(offset: Int) -> UInt8 { bytes[taken + offset] }

    mutating func append(_ more: [UInt8]) {
        if taken == bytes.count {
            bytes = more
            taken = 0
        } else {
            if taken > 64 << 10 {
                bytes.removeFirst(taken)
                taken = 0
            }
            bytes += more
        }
    }

    /// Takes exactly so many, of those that there are.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { advance(by: count) }
        return Array(bytes[taken..<(taken + count)])
    }

    /// Takes all there are, or so many of them.
    mutating func takeAll(upTo most: Int = .max) -> [UInt8] { take(min(count, most)) }

    /// Takes all through the next LF, and returns it without the LF; nil as long as there is none.
    mutating func takeLine() -> [UInt8]? {
        let distance = bytes.withUnsafeBytes { buffer -> Int? in
            guard count > searched else { return nil }
            let start = buffer.baseAddress! + taken
            return memchr(start + searched, 0x0A, count - searched).map { start.distance(to: $0) }
        }
        guard let distance else {
            searched = count
            return nil
        }
        defer { advance(by: 1) }
        return take(distance)
    }

    private mutating func advance(by count: Int) {
        taken += count
        searched = 0
    }
}
