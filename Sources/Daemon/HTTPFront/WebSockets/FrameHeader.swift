/// The header of a client's frame as its bytes come, 6 to 14 of them (RFC 6455 section 5.2).
struct FrameHeader {
    /// The result of one more byte.
    enum Progress {
        case unfinished
        case complete
        /// It breaks the protocol. The text says why.
        case broken(StaticString)
    }

    private var count: UInt8 = 0
    private var first: UInt8 = 0
    /// How many bytes the length has behind the second: 0, 2 or 8.
    private var lengthBytes: UInt8 = 0
    /// The place in the mask of the next byte of payload.
    private var maskOffset: UInt8 = 0
    /// The mask, its first byte lowest.
    private var mask: UInt32 = 0

    /// Bytes of payload, less those that `unmask` was given.
    private(set) var left: UInt64 = 0

    var opcode: UInt8 { first & 0x0F }
    var isFinal: Bool { first & 0x80 != 0 }
    var isControl: Bool { first & 0x08 != 0 }

    /// Takes the next byte, and refuses at the first that no client may send.
    ///
    /// - Parameter isInMessage: Whether a message has begun whose last frame is yet to come.
    mutating func accept(_ byte: UInt8, isInMessage: Bool) -> Progress {
        defer { count += 1 }
        switch count {
        case 0:
            first = byte
            return check(isInMessage: isInMessage)
        case 1: return acceptLength(byte)
        case 2..<(2 + lengthBytes):
            left = left << 8 | UInt64(byte)
            if count == 2, lengthBytes == 8, byte & 0x80 != 0 {
                return .broken("A length has its highest bit set.")
            }
            let isLast = count == 1 + lengthBytes
            if isLast, left < (lengthBytes == 2 ? 126 : 65_536) {
                return .broken("A length is not in its shortest form.")
            }
            return .unfinished
        default:
            let place = count - 2 - lengthBytes
            mask |= UInt32(byte) << (UInt32(place) * 8)
            return place == 3 ? .complete : .unfinished
        }
    }

    /// Takes the mask off the next bytes of payload, where they lie.
    mutating func unmask(_ payload: UnsafeMutableRawBufferPointer) {
        left -= UInt64(payload.count)
        let shift = UInt32(maskOffset) * 8
        let key = mask >> shift | mask << ((32 - shift) & 31)
        let wide = UInt64(key) << 32 | UInt64(key)
        var index = 0
        while index + 8 <= payload.count {
            let masked = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            payload.storeBytes(
                of: (UInt64(littleEndian: masked) ^ wide).littleEndian, toByteOffset: index,
                as: UInt64.self)
            index += 8
        }
        while index < payload.count {
            payload[index] ^= UInt8(truncatingIfNeeded: key >> (UInt32(index & 3) * 8))
            index += 1
        }
        maskOffset = UInt8((Int(maskOffset) + payload.count) & 3)
    }

    private func check(isInMessage: Bool) -> Progress {
        if first & 0x70 != 0 {
            return .broken("A reserved bit is set, and no extension was agreed.")
        }
        switch opcode {
        case 0 where !isInMessage: return .broken("A continuation continues nothing.")
        case 1 where isInMessage, 2 where isInMessage:
            return .broken("A message begins inside another.")
        case 0, 1, 2: return .unfinished
        case 8, 9, 10:
            return isFinal ? .unfinished : .broken("A control frame is fragmented.")
        default: return .broken("An opcode is reserved.")
        }
    }

    private mutating func acceptLength(_ byte: UInt8) -> Progress {
        if byte & 0x80 == 0 { return .broken("A client's frame is not masked.") }
        let length = byte & 0x7F
        if isControl, length > 125 { return .broken("A control frame is longer than 125 bytes.") }
        switch length {
        case 126: lengthBytes = 2
        case 127: lengthBytes = 8
        default: left = UInt64(length)
        }
        return .unfinished
    }
}
