import Foundation
import Protection

/// What it costs to find that something was done, with many other tokens in the table.
enum OnceContests {
    static func all() -> [Contest] {
        let others = 100_000
        for number in 0..<others { DispatchQueue.once(token: number) {} }
        let once = Once()
        return [
            Contest(
                "come again to what ran once, beside \(others) tokens",
                [
                    Contestant("Once") { times in
                        for _ in 0..<times { keep(once.run {}) }
                    },
                    Contestant("DispatchQueue.once { }") { times in
                        for _ in 0..<times { keep(DispatchQueue.once {}) }
                    },
                    Contestant("DispatchQueue.once(token:)") { times in
                        for _ in 0..<times { keep(DispatchQueue.once(token: "again") {}) }
                    },
                ])
        ]
    }

    @inline(never)
    private static func keep(_ isFirst: Bool) {}
}
