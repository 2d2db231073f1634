/// Takes a chunked body apart as it arrives (RFC 9112, section 7.1).
///
/// Each line ends in CR and LF. Readers differ on a line feed alone, above all behind a semicolon,
/// and would see the next request in other places. Extensions of chunks and trailers are thrown
/// away.
struct ChunkDecoder {
    /// How far the body has come.
    enum Progress: Equatable {
        /// There is more to come.
        case open
        /// Its last byte was taken.
        case ended
        /// It is no chunked body. The text tells the client why.
        case broken(String)
        /// A chunk says that it is longer than any body may be.
        case tooLong
    }

    private enum Part {
        /// The digits of a chunk's size.
        case size
        /// The bytes behind the size on its line.
        case `extension`
        /// The bytes of a chunk.
        case data
        /// The end of the line behind a chunk's bytes.
        case dataEnd
        /// A line behind the last chunk; whether a byte of it has come.
        case trailer(hasBegun: Bool)
    }

    private var part = Part.size
    /// The size that is being read, then how much of the chunk is still to come.
    private var size: UInt64 = 0
    private var hasDigits = false
    /// Whether a carriage return has come, behind which a line feed has to stand.
    private var isReturned = false
    /// Bytes of extensions and trailers that were thrown away.
    private var thrownAway = 0

    /// Takes the part of the body that is in `input`, and hands pieces of it to `take`.
    ///
    /// - Returns: How many bytes of `input` belong to the body, and how far that has come.
    /// - Complexity: O(bytes).
    mutating func decode(
        _ input: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> (count: Int, progress: Progress) {
        var index = 0
        while index < input.count {
            if case .data = part {
                let count = Int(min(size, UInt64(input.count - index)))
                take(UnsafeRawBufferPointer(rebasing: input[index..<index + count]))
                index += count
                size -= UInt64(count)
                if size == 0 { part = .dataEnd }
                continue
            }
            let byte = input[index]
            index += 1
            let progress =
                isReturned || byte == 0x0D || byte == 0x0A ? lineEnd(byte) : self.line(byte)
            if progress != .open { return (index, progress) }
        }
        return (index, .open)
    }

    /// Goes on with a carriage return, or behind one.
    private mutating func lineEnd(_ byte: UInt8) -> Progress {
        guard isReturned else {
            guard byte == 0x0D else {
                return .broken("A line of the chunked body ends in a line feed alone.")
            }
            isReturned = true
            return .open
        }
        guard byte == 0x0A else {
            return .broken(
                "A line of the chunked body holds a carriage return that does not end it.")
        }
        isReturned = false
        return line(byte)
    }

    private mutating func line(_ byte: UInt8) -> Progress {
        let isEnd = byte == 0x0A
        switch part {
        case .size where isEnd: return sizeEnded()
        case .size:
            if let digit = byte.hexadecimalValue { return add(digit) }
            guard hasDigits, byte.isBlank || byte == UInt8(ascii: ";") else {
                return .broken("The size of a chunk is not in hexadecimal digits.")
            }
            part = .extension
        case .extension where isEnd: return sizeEnded()
        case .extension: return throwAway()
        case .data: break
        case .dataEnd where isEnd: (part, size, hasDigits) = (.size, 0, false)
        case .dataEnd: return .broken("A chunk is longer than it says.")
        case .trailer(let hasBegun) where isEnd:
            guard hasBegun else { return .ended }
            part = .trailer(hasBegun: false)
        case .trailer:
            part = .trailer(hasBegun: true)
            return throwAway()
        }
        return .open
    }

    private mutating func add(_ digit: UInt8) -> Progress {
        guard size <= HTTPFrontLimits.contentLengthMax >> 4 else { return .tooLong }
        size = size << 4 | UInt64(digit)
        hasDigits = true
        return .open
    }

    private mutating func sizeEnded() -> Progress {
        guard hasDigits else { return .broken("A chunk has no size.") }
        part = size == 0 ? .trailer(hasBegun: false) : .data
        return .open
    }

    private mutating func throwAway() -> Progress {
        thrownAway += 1
        return thrownAway <= HTTPFrontLimits.chunkWordsBytesMax
            ? .open : .broken("The extensions of chunks and the trailers are too long.")
    }
}
