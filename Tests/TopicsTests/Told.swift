@testable import Topics

/// What one reader was told, in order, to be held against what was published.
struct Told: Sendable {
    var ids: [UInt64] = []
    var gaps: [Gap] = []

    /// What is wrong with it where these ids were published; nil if every one of them was received
    /// once and in order, or lies in a gap.
    func fault(of published: [UInt64]) -> String? {
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) else { return "ids do not rise" }
        let received = Set(ids)
        let known = Set(published)
        if let foreign = ids.first(where: { !known.contains($0) }) {
            return "\(foreign) was never published"
        }
        let missing = published.first { id in
            !received.contains(id)
                && !gaps.contains { id > $0.after.rawValue && id <= $0.through.rawValue }
        }
        return missing.map { "\($0) was dropped in silence" }
    }
}
