import Foundation

/// A fault that `make mutants` plants: a record of `Tests/mutants.txt`, whose top says what its lines are.
struct Mutant: Sendable {
    /// The names of the lines of a record, in their order.
    static let fields = ["name", "file", "before", "after", "breaks", "filter", "test"]

    let name: String
    let file: String
    let before: String
    let after: String
    let filter: String
    let test: String

    /// The records of a table, each by its lines; nil for one that has others, or in another order.
    static func records(in text: String) -> [Mutant?] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("#") }
        return lines.split { $0.isEmpty }.map { Mutant(Array($0)) }
    }

    private init?(_ lines: [Substring]) {
        let pairs = lines.map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }
        guard pairs.map(\.first) == Self.fields, pairs.allSatisfy({ $0.count == 2 }) else {
            return nil
        }
        (name, file, before, after) = (pairs[0][1], pairs[1][1], pairs[2][1], pairs[3][1])
        (filter, test) = (pairs[5][1], pairs[6][1])
    }

    /// How many lines of its file are the one before, whatever their indentation.
    var places: Int {
        let lines = Repository.sources.first { $0.path == file }?.lines ?? []
        return lines.count { $0.trimmingCharacters(in: .whitespaces) == before }
    }
}
