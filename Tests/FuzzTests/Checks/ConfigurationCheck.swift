@testable import BelfryDaemon

extension ParserCheck {
    /// A configuration that is taken is the same when it is printed and read again; one that is
    /// not names a line of its own.
    static let configuration = ParserCheck("configuration", bytesMax: 600) { input in
        do {
            let configuration = try read(Array(input))
            let again = try read(Array(configuration.text.utf8))
            try agree(again, configuration, "configuration, and as it is printed")
            for key in ConfigurationKey.all where key.clear == nil {
                try checkVariable(of: key, in: configuration)
            }
        } catch let problems as ConfigurationProblems {
            let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).count
            try hold(!problems.problems.isEmpty, "refused without a problem")
            for problem in problems.problems where problem.place != .whole {
                try hold((1...lines).contains(problem.place.line), "a problem nowhere: \(problem)")
            }
        }
    }

    private static func read(_ text: [UInt8]) throws -> Configuration {
        try Configuration(sources: [ConfigurationSource(file: "file", text: text)])
    }

    /// The environment says a value as the file does.
    private static func checkVariable(
        of key: ConfigurationKey, in configuration: Configuration
    ) throws {
        let values = key.values(configuration)
        try agree(values.count, 1, "lines of \(key.path)")
        var source = ConfigurationSource(environment: [key.variable: values[0]])
        var other = Configuration()
        source.apply(to: &other)
        try hold(source.problems.isEmpty, "\(source.problems)")
        try agree(key.values(other), values, "\(key.path), by the environment")
    }
}
