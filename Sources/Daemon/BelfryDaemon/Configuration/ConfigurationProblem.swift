/// A problem of the configuration, and the place of the setting that causes it.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    /// The origin of a setting.
    public enum Place: Equatable, Sendable, CustomStringConvertible {
        /// A line of a file, from 1; 0 is the file as a whole.
        case file(String, line: Int)
        /// A variable of the environment, by its name.
        case environment(String)
        /// An option of the command line, with its dashes.
        case option(String)
        /// Settings that are right by themselves and contradict each other.
        case whole

        /// The line in a file; 0 anywhere else.
        var line: Int {
            if case .file(_, let line) = self { line } else { 0 }
        }

        /// `FILE:LINE`, the variable, or the option.
        public var description: String {
            switch self {
            case .file(let path, line: 0): path
            case .file(let path, let line): "\(path):\(line)"
            case .environment(let name): name
            case .option(let name): name
            case .whole: "configuration"
            }
        }
    }

    /// The place of the setting.
    public let place: Place
    /// The problem and its remedy.
    public let detail: String

    /// `PLACE: detail`.
    public var description: String { "\(place): \(detail)" }
}

/// Everything wrong with a configuration, in the order in which it was said.
public struct ConfigurationProblems: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problems; never empty.
    public let problems: [ConfigurationProblem]

    init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// A single problem.
    init(_ place: ConfigurationProblem.Place, _ detail: String) {
        self.init(problems: [ConfigurationProblem(place: place, detail: detail)])
    }

    /// One line for each problem, so many that they fit on a screen.
    public var lines: [String] {
        var lines = problems.prefix(Limits.problemsShownMax).map(\.description)
        if problems.count > lines.count { lines.append("and \(problems.count - lines.count) more") }
        return lines
    }

    /// The lines.
    public var description: String { lines.joined(separator: "\n") }
}
