internal import About
internal import Glibc
internal import Telemetry
internal import Topics

/// The program with its command line, from the first argument to the exit status.
public struct Program {
    private let arguments: [String]
    private let environment: [String: String]
    private let uid: UInt32
    private let filesMax: Int
    private let log: Log
    private let logsToJournal: Bool

    /// A program run by a user with these arguments, its own name left out, in an environment,
    /// that may have so many files open.
    public init(
        arguments: some Sequence<String>, environment: [String: String], uid: UInt32, filesMax: Int
    ) {
        self.arguments = Array(arguments)
        self.environment = environment
        self.uid = uid
        self.filesMax = filesMax
        logsToJournal = ProcessEnvironment.logsToJournal(environment)
        log = Log(level: .info, sink: logsToJournal ? Log.journal : Log.standardError)
    }

    /// Runs the action of the command line.
    public func run() -> ExitCode {
        do throws(ConfigurationProblems) {
            let options = try CommandLineOptions(arguments)
            switch options.action {
            case .help: Self.print(Help.text)
            case .version: Self.print("belfryd \(Version.number)\n")
            case .printConfig: Self.print(try configuration(options).text)
            case .checkConfig:
                Self.print(AccessTool(try configuration(options).access, uid: uid).report)
            case .explainAccess(let question):
                Self.print(
                    try AccessTool(configuration(options).access, uid: uid).explain(question))
            case .manualPage(let name): Self.print(try DaemonManual.page(name).text)
            case .completion(let name): Self.print(try DaemonCompletion.script(for: name))
            case .makeToken(let name): Self.print(try AccessTool.makeToken(named: name))
            case .checkStore: return try StoreTool(path: storePath(options), log: log).check()
            case .backUp(let copy):
                return try StoreTool(path: storePath(options), log: log).backUp(to: copy)
            case .restore(let copy):
                return try StoreTool(path: storePath(options), log: log).restore(copy)
            case .serve:
                return Service(
                    options: options, environment: environment, uid: uid, filesMax: filesMax,
                    writer: LogWriter(form: logsToJournal ? Log.journalLine : Self.timedLine)
                ).run()
            }
            return .success
        } catch {
            for line in error.lines { log.error(line) }
            return .usage
        }
    }

    /// A line with the time in front, in the form that events have; the journal has its own. A line
    /// of the access log is JSON and says its time itself.
    private static let timedLine: Log.Form = { level, text in
        Log.plainLine(level, text.hasPrefix("{") ? text : "\(SystemClock().now()) \(text)")
    }

    /// The configuration, if the daemon could use it here.
    private func configuration(_ options: CommandLineOptions) throws(ConfigurationProblems)
        -> Configuration
    {
        let configuration = try Configuration(options: options, environment: environment)
        _ = try ResolvedLocations(
            configuration, in: RuntimeEnvironment(environment: environment, uid: uid))
        return configuration
    }

    /// The file of the store that is configured.
    private func storePath(_ options: CommandLineOptions) throws(ConfigurationProblems) -> String {
        let configuration = try Configuration(options: options, environment: environment)
        guard case .sqlite(let named) = configuration.store else {
            throw ConfigurationProblems(
                .whole, "the store is memory: name a file with --store sqlite:PATH")
        }
        if let named { return named }
        // A timer of systemd, whose user is root, has no HOME.
        let isService = uid == 0 && access(Self.serviceStore, F_OK) == 0
        let missing: String
        do throws(ConfigurationProblems) {
            let locations = try ResolvedLocations(
                configuration, in: RuntimeEnvironment(environment: environment, uid: uid))
            guard let path = locations.storePath(configuration.store) else {
                preconditionFailure("resolved locations have a folder for state")
            }
            guard isService, access(path, F_OK) != 0 else { return path }
            missing = path
        } catch {
            guard isService else { throw error }
            missing = "home for state here"
        }
        log.notice(
            "there is no \(missing): this is about the service's store, \(Self.serviceStore)")
        return Self.serviceStore
    }

    /// The store of the unit. Root has a folder of its own, and means this one.
    private static let serviceStore = "/var/lib/belfry/belfry.db"

    static func print(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
