import Foundation

/// The Markdown table of all contests.
struct Report {
    let rounds: Int

    /// Measures the contests and prints a row for each contestant as soon as it is known.
    func write(_ contests: [Contest]) {
        print("| What | How | ns | Belfry ÷ this | aim |\n|---|---|---:|---:|---|")
        for contest in contests {
            let results = contest.results(rounds: rounds)
            for (contestant, result) in zip(contest.contestants, results) {
                let isFirst = contestant.name == contest.contestants[0].name
                let cells = [
                    isFirst ? contest.title : "", contestant.name,
                    String(format: result.nanoseconds < 100 ? "%.1f" : "%.0f", result.nanoseconds),
                    isFirst ? "" : String(format: "%.2f", result.multiple),
                    contestant.aim.map { verdict(on: result.multiple, aim: $0) } ?? "",
                ]
                print("| \(cells.joined(separator: " | ")) |")
            }
            fflush(nil)
        }
    }

    private func verdict(on multiple: Double, aim: Double) -> String {
        String(format: "≤ %.2f: ", aim) + (multiple <= aim ? "met" : "**missed**")
    }
}
