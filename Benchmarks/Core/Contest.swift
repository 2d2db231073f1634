import Foundation

/// One way to do what a contest is about.
struct Contestant {
    let name: String
    /// What the first contestant's time should be at most, as a multiple of this one's; nil where
    /// the comparison only informs.
    let aim: Double?
    /// Does it so many times.
    let run: (Int) -> Void

    init(_ name: String, aim: Double? = nil, run: @escaping (Int) -> Void) {
        self.name = name
        self.aim = aim
        self.run = run
    }
}

/// Several ways to do one thing, measured in turns, so that whatever else the machine does meets
/// all of them alike.
///
/// What is measured is processor time, of all threads of the process: on a busy machine it says
/// what an operation costs, where time on the wall says who else was there.
struct Contest {
    let title: String
    /// How many units one run of a contestant counts for, such as observers called.
    let units: Int
    /// The first is the one that the others are compared with.
    let contestants: [Contestant]

    init(_ title: String, units: Int = 1, _ contestants: [Contestant]) {
        self.title = title
        self.units = units
        self.contestants = contestants
    }

    /// The median time of a unit for each contestant, in nanoseconds, and the median of what the
    /// first one took in the same round as a multiple of it.
    func results(rounds: Int) -> [(nanoseconds: Double, multiple: Double)] {
        let counts = contestants.map(Self.calibrated)
        var times = contestants.map { _ in [Double]() }
        for round in 0..<rounds {
            for turn in contestants.indices {
                let index = (turn + round) % contestants.count
                let time = Self.time(of: contestants[index], count: counts[index])
                times[index].append(time / Double(units))
            }
        }
        return times.map { own in
            (Self.median(own), Self.median(zip(times[0], own).map { $0 / $1 }))
        }
    }

    private static let batchNanosecondsMin = 4_000_000.0

    /// How often a contestant has to run for a batch that a clock can tell from nothing.
    private static func calibrated(_ contestant: Contestant) -> Int {
        var count = 1
        while time(of: contestant, count: count) * Double(count) < batchNanosecondsMin {
            count *= 2
        }
        return count
    }

    /// The processor time of one run, in nanoseconds.
    private static func time(of contestant: Contestant, count: Int) -> Double {
        let start = processorNanoseconds()
        contestant.run(count)
        return (processorNanoseconds() - start) / Double(count)
    }

    private static func processorNanoseconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Double(now.tv_sec) * 1e9 + Double(now.tv_nsec)
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
