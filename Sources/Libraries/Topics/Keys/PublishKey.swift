/// The key of a publish. A repeat with the same key makes no second event.
///
/// A key belongs to its publisher and to a topic. One that stands alone is remembered for a while, 15 minutes
/// by a daemon that is not told otherwise. In a *series* each publish has a number above the one before. The bus then
/// remembers the last number alone, for 30 days behind it. The publishes of a series follow one another: one that
/// comes behind a higher number counts as a repeat, and makes no event.
///
/// Source: draft-ietf-httpapi-idempotency-key-header-07, whose header it is over HTTP.
public struct PublishKey: Hashable, Sendable, CustomStringConvertible {
    /// The key, without the number of a series.
    package let name: String
    /// The number in a series; nil for a key that stands alone.
    package let number: UInt64?

    /// The key that a text spells: `KEY`, or `SERIES;N` with a number of up to 18 digits.
    ///
    /// - Parameter text: 1 to 255 bytes of 0x20 to 0x7E, such as a UUID.
    /// - Throws: `PublishKeyError` for a text that is empty, too long, or not printable.
    /// - Complexity: O(bytes).
    public init(_ text: String) throws(PublishKeyError) {
        let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPrintable, (1...Limits.keyBytesMax).contains(text.utf8.count) else {
            throw PublishKeyError(bytes: text.utf8.count)
        }
        let digits = text.utf8.suffix(of: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        let rest = text.utf8.dropLast(digits.count)
        // Without a number at its end it is a key as any other.
        guard rest.last == UInt8(ascii: ";"), (1...Limits.keyDigitsMax).contains(digits.count),
            let number = UInt64(Substring(digits))
        else {
            (name, self.number) = (text, nil)
            return
        }
        (name, self.number) = (String(Substring(rest.dropLast())), number)
    }

    /// A key that is known to be one.
    package init(known name: String, number: UInt64? = nil) {
        self.name = name
        self.number = number
    }

    /// The text that spells it.
    public var description: String { number.map { "\(name);\($0)" } ?? name }
}

/// Why a text is no key of a publish.
public struct PublishKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the text.
    let bytes: Int

    /// A sentence that names the fault and the correct form.
    public var description: String {
        "a key has 1 to \(Limits.keyBytesMax) bytes of 0x20 to 0x7E, such as a UUID, or SERIES;N with a "
            + "number that rises: this one has \(bytes)"
    }
}

extension BidirectionalCollection {
    /// The longest end whose elements all fit.
    fileprivate func suffix(of fits: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, fits(self[index(before: start)]) { formIndex(before: &start) }
        return self[start...]
    }
}
