import Glibc
import Simulation
import TestSupport

/// `simulate [--of bus|hosts] [--seeds N] [--from N] [--jobs N] [--seed N] [--fault NAME]`: runs
/// seeds of a simulated bus, of one host or of several, on as many threads as asked. Stops at a broken promise, makes it short and tells
/// its story. The status is 1 then, and with a fault where no seed has found it.
struct Arguments {
    var from: UInt64 = 1
    var count: UInt64 = 1_000
    var jobs = 2
    private(set) var subject = Simulation.Subject.bus(nil)
    private(set) var isFaulty = false

    init(_ words: [String]) {
        var words = words[...]
        var fault: String?
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { Self.fail("\(word) has no value") }
            switch (word, UInt64(value)) {
            case ("--seeds", let number?): count = number
            case ("--from", let number?): from = number
            case ("--seed", let number?): (from, count) = (number, 1)
            case ("--jobs", let number?): jobs = Int(number)
            case ("--of", _): subject = Self.subject(value)
            case ("--fault", _): fault = value
            default: Self.fail("\(word) \(value) says nothing")
            }
        }
        guard let fault else { return }
        (subject, isFaulty) = (subject.with(fault: fault), true)
    }

    static func subject(_ name: String) -> Simulation.Subject {
        switch name {
        case "bus": .bus(nil)
        case "hosts": .hosts(nil)
        default: fail("a simulation is of: bus, hosts")
        }
    }

    static func fail(_ text: String) -> Never {
        let line = Array("simulate: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(2)
    }
}

extension Simulation.Subject {
    func with(fault name: String) -> Simulation.Subject {
        switch self {
        case .bus:
            guard let fault = SimulatedFault(rawValue: name) else {
                Arguments.fail("a fault of a bus is one of \(SimulatedFault.allCases)")
            }
            return .bus(fault)
        case .hosts:
            guard let fault = HostsFault(rawValue: name) else {
                Arguments.fail("a fault of hosts is one of \(HostsFault.allCases)")
            }
            return .hosts(fault)
        }
    }
}

let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
let found = FirstFinding()
try inParallel(arguments.jobs, within: .seconds(86_400)) { job in
    var seed = arguments.from + UInt64(job)
    while seed < arguments.from + arguments.count, found.value == nil {
        if let finding = try Simulation.run(arguments.subject, seed: seed) {
            found.note(finding)
        }
        seed += UInt64(arguments.jobs)
    }
}
guard let finding = found.value else {
    print("\(arguments.count) seeds from \(arguments.from): no promise was broken")
    exit(arguments.isFaulty ? 1 : 0)
}
print(finding)
let shortest = try Simulation.shrink(finding, of: arguments.subject)
print(shortest)
for line in try Simulation.story(of: shortest, arguments.subject) { print("    \(line)") }
exit(arguments.isFaulty ? 0 : 1)
