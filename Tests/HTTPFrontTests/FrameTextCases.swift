import TestSupport

/// Messages that are text, or say so.
extension FrameCase {
    static let texts: [FrameCase] = goodTexts.flatMap(good) + badTexts.flatMap(bad) + cutTexts

    private static let goodTexts: [String] = [
        "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
        "\u{D7FF}\u{E000}\u{FFFD}", "\u{0}\u{1F514}\u{FEFF}",
        String(repeating: "ascii and €", count: 40),
    ]

    /// Bytes that no text has, of which the wrong one says so whatever follows, and how many could
    /// begin one.
    private static let badTexts: [(name: String, bytes: [UInt8], fine: Int)] = [
        ("a lone continuation", [0x80], 0), ("a lone continuation, the last", [0xBF], 0),
        ("overlong in two", [0xC0, 0xAF], 0), ("overlong in two, the first", [0xC0, 0x80], 0),
        ("overlong in two, the last", [0xC1, 0xBF], 0),
        ("overlong in three", [0xE0, 0x80, 0xAF], 1),
        ("overlong in three, the first", [0xE0, 0x80, 0x80], 1),
        ("overlong in three, the last", [0xE0, 0x9F, 0xBF], 1),
        ("overlong in four", [0xF0, 0x80, 0x80, 0xAF], 1),
        ("overlong in four, the first", [0xF0, 0x80, 0x80, 0x80], 1),
        ("overlong in four, the last", [0xF0, 0x8F, 0xBF, 0xBF], 1),
        ("the first surrogate", [0xED, 0xA0, 0x80], 1),
        ("the last surrogate", [0xED, 0xBF, 0xBF], 1),
        ("above the last character", [0xF4, 0x90, 0x80, 0x80], 1),
        ("a fifth byte", [0xF5, 0x80], 0), ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80], 0),
        ("FE", [0xFE], 0), ("FF", [0xFF], 0), ("no continuation", [0xE2, 0x28, 0xA1], 1),
        ("no continuation in two", [0xC3, 0x28], 1),
        ("an end too early", [0xF0, 0x9F, 0x41], 2),
    ]

    private static let cutTexts: [FrameCase] = [
        FrameCase("text cut inside a character", [Frame(1, [0xE2, 0x82])], "failure 1007"),
        FrameCase("text cut inside one of two bytes", [Frame(1, [0xC3])], "failure 1007"),
        FrameCase(
            "text cut inside one of four bytes", [Frame(1, [0xF0, 0x9F, 0x94])], "failure 1007"),
        FrameCase(
            "text cut inside a character by its last fragment",
            [Frame(1, [0xE2], isFinal: false), Frame(0, [0x82], isFinal: false), Frame(0)],
            "failure 1007"),
    ]

    private static func good(_ text: String) -> [FrameCase] {
        let bytes = Array(text.utf8)
        var frames = [Frame(1, [], isFinal: false)]
        for byte in bytes { frames.append(Frame(0, [byte], isFinal: false)) }
        frames.append(Frame(0))
        return [
            FrameCase("text \(text.debugDescription)", [Frame(1, bytes)], "text \(text)"),
            FrameCase(
                "text \(text.debugDescription) in fragments of a byte", frames, "text \(text)"),
        ]
    }

    private static func bad(_ name: String, _ bytes: [UInt8], _ cut: Int) -> [FrameCase] {
        let fine = Array("fine €, ".utf8)
        let halves = [
            Frame(1, fine + bytes[..<cut], isFinal: false), Frame(9, [9]),
            Frame(0, bytes[cut...] + fine),
        ]
        return [
            FrameCase("\(name) in text", [Frame(1, fine + bytes + fine)], "failure 1007"),
            FrameCase("\(name) across fragments", halves, "ping 09", "failure 1007"),
            FrameCase(
                "\(name) before the message ends", [Frame(1, fine + bytes, isFinal: false)],
                "failure 1007"),
            FrameCase("\(name) as bytes", [Frame(2, bytes)], "binary \(bytes.count)"),
        ]
    }
}
