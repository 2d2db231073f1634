import Foundation
import JSON

extension ParserCheck {
    /// JSON is what Foundation takes for it too, means the same without its white space, and does
    /// not grow beyond its bound.
    static let json = ParserCheck("json", bytesMax: 512) { input in
        // What Foundation takes for the mark of another encoding, or of this one.
        guard input.utf8 != nil, input.first != 0xEF, !input.contains(0) else { return }
        var compact: [UInt8] = []
        let isJSON = JSONText.compact(input, into: &compact)
        guard isJSON else { return try hold(!isSurelyJSON(input), "JSON was refused") }
        try hold(compact.count <= input.count * JSONLimits.bytesPerByteMax, "too many bytes")
        try agree(meaning(compact), meaning(Array(input)), "JSON, and as it was written")
        var again: [UInt8] = []
        let isStill = compact.withUnsafeBytes { JSONText.compact($0, into: &again) }
        try hold(isStill && again == compact, "compact JSON is not compact")
    }

    /// Whether it is JSON beyond doubt: Foundation allows some things that nobody else does.
    private static func isSurelyJSON(_ input: UnsafeRawBufferPointer) -> Bool {
        let brackets = input.filter { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        guard brackets.count <= JSONLimits.depthMax, let value = try? parsed(Array(input)),
            let written = try? JSONSerialization.data(
                withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
        else { return false }
        // Only what is written so by somebody else is beyond doubt.
        return written.elementsEqual(input)
    }

    private static func parsed(_ text: [UInt8]) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
    }

    private static func meaning(_ text: [UInt8]) throws -> NSObject? {
        try parsed(text) as? NSObject
    }
}
