import Glibc
import Simulation
import TestSupport

/// `simulate [--seeds N] [--from N] [--jobs N] [--seed N] [--fault NAME]`: runs seeds of the
/// simulated bus on as many threads as asked. Stops at a broken promise, makes it short and tells
/// its story. The status is 1 then, and with a fault where no seed has found it.
struct Arguments {
    var from: UInt64 = 1
    var count: UInt64 = 1_000
    var jobs = 2
    var fault: SimulatedFault?

    init(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { Self.fail("\(word) has no value") }
            switch (word, UInt64(value)) {
            case ("--seeds", let number?): count = number
            case ("--from", let number?): from = number
            case ("--seed", let number?): (from, count) = (number, 1)
            case ("--jobs", let number?): jobs = Int(number)
            case ("--fault", _):
                fault = SimulatedFault(rawValue: value)
                guard fault != nil else {
                    Self.fail("a fault is one of \(SimulatedFault.allCases.map(\.rawValue))")
                }
            default: Self.fail("\(word) \(value) says nothing")
            }
        }
    }

    static func fail(_ text: String) -> Never {
        let line = Array("simulate: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(2)
    }
}

let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
let found = FirstFinding()
try inParallel(arguments.jobs, within: .seconds(86_400)) { job in
    var seed = arguments.from + UInt64(job)
    while seed < arguments.from + arguments.count, found.value == nil {
        if let finding = try Simulation.run(seed: seed, fault: arguments.fault) {
            found.note(finding)
        }
        seed += UInt64(arguments.jobs)
    }
}
guard let finding = found.value else {
    print("\(arguments.count) seeds from \(arguments.from): no promise was broken")
    exit(arguments.fault == nil ? 0 : 1)
}
print(finding)
let shortest = try Simulation.shrink(finding, fault: arguments.fault)
print(shortest)
for line in try Simulation.story(of: shortest, fault: arguments.fault) { print("    \(line)") }
exit(arguments.fault == nil ? 1 : 0)
