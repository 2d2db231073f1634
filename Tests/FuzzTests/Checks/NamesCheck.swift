@testable import Topics

extension ParserCheck {
    /// Names, patterns and selectors agree with their grammar read segment by segment, and match
    /// what it says.
    ///
    /// Input: a selector, then a name, one a line.
    static let names = ParserCheck("names", bytesMax: 400) { input in
        let lines = input.parts(2).map(\.text) + [""]
        let name = try? TopicName(lines[1])
        try agree(name != nil, isName(lines[1], wildcards: false), "a name")
        let terms = lines[0].split(separator: ",", omittingEmptySubsequences: false).map(
            String.init)
        let areTerms = terms.allSatisfy { isName($0, wildcards: true) }
        try agree(terms.allSatisfy { (try? TopicPattern($0)) != nil }, areTerms, "patterns")
        let selector = try? Selector(lines[0])
        try agree(
            selector != nil, areTerms && Set(terms).count <= Limits.selectorTermsMax, "a selector")
        guard let selector else { return }
        try agree(try Selector(selector.description), selector, "selector read again")
        try agree(Set(selector.terms.map(\.description)), Set(terms), "terms")
        try agree(
            selector.singleName?.text,
            Set(terms).count == 1 && !hasWildcard(terms[0]) ? terms[0] : nil,
            "the only name")
        guard let name else { return }
        try agree(name.isReserved, lines[1].hasPrefix("$"), "reserved")
        try agree(
            selector.matches(name), terms.contains { matches($0, lines[1]) }, "a match")
    }

    private static func segments(_ text: some StringProtocol) -> [Substring] {
        Substring(text).split(separator: ".", omittingEmptySubsequences: false)
    }

    private static func hasWildcard(_ text: String) -> Bool {
        segments(text).contains { $0 == "*" || $0 == ">" }
    }

    private static func isName(_ text: String, wildcards: Bool) -> Bool {
        let isReserved = text.utf8.first == UInt8(ascii: "$")
        let segments = segments(isReserved ? text.dropFirst() : text[...])
        return text.utf8.count <= Limits.nameBytesMax
            && !(isReserved && hasWildcard(String(text.dropFirst())))
            && segments.enumerated().allSatisfy { place, segment in
                if wildcards, segment == "*" { return true }
                if wildcards, segment == ">" { return place == segments.count - 1 }
                return !segment.isEmpty
                    && segment.unicodeScalars.allSatisfy {
                        $0.isASCII
                            && ($0.properties.isAlphabetic
                                || "0123456789_-".unicodeScalars.contains($0))
                    }
            }
    }

    private static func matches(_ pattern: String, _ name: String) -> Bool {
        guard hasWildcard(pattern) else { return pattern == name }
        return !name.hasPrefix("$") && matches(segments(pattern)[...], segments(name)[...])
    }

    private static func matches(
        _ pattern: ArraySlice<Substring>, _ name: ArraySlice<Substring>
    ) -> Bool {
        guard let first = pattern.first, let segment = name.first else {
            return pattern.isEmpty && name.isEmpty
        }
        if first == ">" { return true }
        return (first == "*" || first == segment) && matches(pattern.dropFirst(), name.dropFirst())
    }
}
