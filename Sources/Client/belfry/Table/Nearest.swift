/// The word that somebody who mistyped one probably meant.
enum Nearest {
    /// The known word that is nearest to another; nil if none is near. Near is one slip away, and
    /// two for words of five letters and more. A slip is a letter too much, too few, another one,
    /// or two in each other's place.
    ///
    /// - Complexity: O(words · letters²).
    static func word(to word: String, among known: some Sequence<String>) -> String? {
        let slipsMax = word.count < 5 ? 1 : 2
        return known.map { (slips: slips(word, $0, atMost: slipsMax), word: $0) }
            .filter { $0.slips > 0 && $0.slips <= slipsMax }
            .min { ($0.slips, $0.word) < ($1.slips, $1.word) }?.word
    }

    /// The optimal string alignment distance of two words, exact up to the bound. A greater one is
    /// some number above the bound.
    private static func slips(_ first: String, _ second: String, atMost bound: Int) -> Int {
        let (first, second) = (Array(first), Array(second))
        guard abs(first.count - second.count) <= bound else { return bound + 1 }
        var (before, last) = ([Int](), Array(0...second.count))
        for row in 1..<(first.count + 1) {
            var now = [row]
            for column in 1..<(second.count + 1) {
                let isSame = first[row - 1] == second[column - 1]
                var least = min(
                    last[column] + 1, now[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, first[row - 1] == second[column - 2],
                    first[row - 2] == second[column - 1]
                {
                    least = min(least, before[column - 2] + 1)
                }
                now.append(least)
            }
            (before, last) = (last, now)
        }
        return last[second.count]
    }

    /// The nearest word as the end of a sentence; empty if there is none.
    static func question(about word: String, among known: some Sequence<String>) -> String {
        self.word(to: word, among: known).map { ": did you mean '\($0)'?" } ?? ""
    }
}
