internal import Access

extension Configuration {
    /// Puts together the settings of the command line, the environment and the file, in this order
    /// of precedence, over the defaults.
    ///
    /// Without `--config` the default file is read if it is there.
    ///
    /// - Throws: everything that is wrong, in all of them.
    public init(
        options: CommandLineOptions, environment: [String: String]
    ) throws(ConfigurationProblems) {
        try self.init(sources: [
            Self.file(options), ConfigurationSource(environment: environment),
            ConfigurationSource(options: options),
        ])
        try access.tokens.read(environment: environment)
    }

    /// Puts sources over the defaults, each over those before it.
    init(sources: [ConfigurationSource]) throws(ConfigurationProblems) {
        self.init()
        var problems: [ConfigurationProblem] = []
        for var source in sources {
            source.apply(to: &self)
            problems += source.problems
        }
        if problems.isEmpty { problems = contradictions }
        guard problems.isEmpty else { throw ConfigurationProblems(problems: problems) }
    }

    private static func file(
        _ options: CommandLineOptions
    ) throws(ConfigurationProblems) -> ConfigurationSource {
        let path = options.config ?? CommandLineOptions.configDefault
        do {
            let text = try FileText.read(path, bytesMax: Limits.fileBytesMax)
            return ConfigurationSource(file: path, text: text)
        } catch {
            if error.isMissing, options.config == nil { return ConfigurationSource() }
            throw ConfigurationProblems(.file(path, line: 0), error.detail)
        }
    }

    /// Settings that are right by themselves and cannot be meant together.
    private var contradictions: [ConfigurationProblem] {
        var details: [String] = []
        if listen.tcp.isEmpty, listen.unix == .none {
            details.append(
                "listen.tcp is empty and listen.unix is none: no client could reach the bus")
        }
        if !metrics.topics.isEmpty, metrics.selector == nil {
            details.append(
                "metrics.topics has more topics and patterns than one selector takes: use patterns "
                    + "that stand for several")
        }
        if access.rules.count > AccessLimits.rulesMax {
            details.append(
                "access.rule is there \(access.rules.count) times, and \(AccessLimits.rulesMax) "
                    + "rules is the most: a pattern stands for several topics")
        }
        if poll.waitDefault > poll.waitMax {
            details.append("poll.wait_default is longer than poll.wait_max")
        }
        if let bytes = retention.bytes, bytes != 0, bytes < limits.eventBytesMax {
            details.append("retention.bytes is less than the size of one event (bus.event_bytes)")
        }
        if memoryBytesMax < 2 * limits.eventBytesMax {
            details.append("bus.memory_bytes has to be twice bus.event_bytes at least")
        }
        return details.map { ConfigurationProblem(place: .whole, detail: $0) }
    }
}

extension ConfigurationSource {
    /// The settings that options stand for.
    init(options: CommandLineOptions) {
        self.init()
        if !options.listen.isEmpty { add(listen: options.listen) }
        if let store = options.store { add(.named("store.store"), store, at: .option("--store")) }
        if let level = options.logLevel {
            add(.named("daemon.log_level"), level, at: .option("--log-level"))
        }
    }

    private mutating func add(listen: [String]) {
        let place = Place.option("--listen")
        let unix = listen.filter { $0.hasPrefix("unix:") }
        add(.named("listen.tcp"), "", at: place)
        if unix.isEmpty { add(.named("listen.unix"), "none", at: place) }
        for text in unix { add(.named("listen.unix"), String(text.dropFirst(5)), at: place) }
        for text in listen where !text.hasPrefix("unix:") {
            add(.named("listen.tcp"), text, at: place)
        }
    }
}
