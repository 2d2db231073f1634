/// Measures the bus inside one process beside what one would use without it: `make bench-core`.
///
/// Arguments: the topics to measure, all of them if none is named; `--rounds N`.
@main
enum BenchCore {
    private static let topics: [(name: String, contests: @Sendable () -> [Contest])] = [
        ("protected", ProtectedContests.all),
        ("once", OnceContests.all),
        ("broadcaster", BroadcasterContests.all),
        ("subject", SubjectContests.all),
    ]

    static func main() {
        var names = CommandLine.arguments.dropFirst()
        var rounds = 31
        if let option = names.firstIndex(of: "--rounds"), option + 1 < names.endIndex {
            guard let number = Int(names[option + 1]), number > 0 else {
                fatalError("--rounds takes a number above zero, not \(names[option + 1])")
            }
            rounds = number
            names.removeSubrange(option...(option + 1))
        }
        for name in names where !topics.contains(where: { $0.name == name }) {
            fatalError("no topic \(name): there is \(topics.map(\.name).joined(separator: ", "))")
        }
        Report(rounds: rounds).write(
            topics.filter { names.isEmpty || names.contains($0.name) }.flatMap { $0.contests() })
    }
}
