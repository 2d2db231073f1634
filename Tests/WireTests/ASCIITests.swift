import JSON
import Testing

/// Letters of either case are equal, and no other bytes are.
@Suite struct ASCIITests {
    private static let texts: [StaticString] = [
        "at", "x-at", "content", "x-header", "content-type", "multipart/form-data",
        "transfer-encoding", "az09`{|}~^_@[!-/",
    ]

    private static func isEqual(_ bytes: [UInt8], _ text: StaticString) -> Bool {
        bytes.withUnsafeBytes { ASCII.isEqualIgnoringCase($0, text) }
    }

    @Test(arguments: texts.indices)
    func aTextIsItselfInAnyCase(index: Int) {
        let text = Self.texts[index]
        let small = Array("\(text)".utf8)
        #expect(Self.isEqual(small, text) && Self.isEqual(Array("\(text)".uppercased().utf8), text))
        #expect(!Self.isEqual(small + [0x20], text) && !Self.isEqual(small.dropLast(), text))
        let longer = small + [0, 0xFF]
        #expect(longer.withUnsafeBytes { ASCII.hasPrefixIgnoringCase($0, text) })
    }

    /// Every byte in every place.
    @Test(arguments: texts.indices)
    func oneOtherByteMakesAnotherText(index: Int) {
        let text = Self.texts[index]
        let small = Array("\(text)".utf8)
        for place in small.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = small
                bytes[place] = byte
                let isLetter = (0x61...0x7A).contains(small[place])
                let isSame = byte == small[place] || isLetter && byte == small[place] ^ 0x20
                #expect(Self.isEqual(bytes, text) == isSame, "\(byte) at \(place) of \(text)")
            }
        }
    }
}
