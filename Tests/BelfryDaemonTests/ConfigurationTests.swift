import Access
import Testing

@testable import BelfryDaemon

struct ConfigurationTests {
    private func load(
        _ file: String = "", environment: [String: String] = [:], arguments: [String] = []
    ) throws -> Configuration {
        try Configuration(sources: [
            ConfigurationSource(file: "f", text: Array(file.utf8)),
            ConfigurationSource(environment: environment),
            ConfigurationSource(options: CommandLineOptions(arguments)),
        ])
    }

    private func problems(
        _ file: String = "", environment: [String: String] = [:], arguments: [String] = []
    ) -> [String] {
        do {
            _ = try load(file, environment: environment, arguments: arguments)
            return []
        } catch {
            return (error as? ConfigurationProblems)?.lines ?? ["\(error)"]
        }
    }

    @Test func theCommandLineBeatsTheEnvironmentWhichBeatsTheFileWhichBeatsTheDefault() throws {
        let file = "[daemon]\nlog_level = error\ndrain_seconds = 1\n[poll]\nwait_max = 2h\n"
        let environment = [
            "BELFRY_DAEMON_LOG_LEVEL": "warning", "BELFRY_DAEMON_DRAIN_SECONDS": "2",
        ]
        let configuration = try load(
            file, environment: environment, arguments: ["--log-level", "debug"])
        #expect(configuration.logLevel == .debug)
        #expect(configuration.drainSeconds == 2)
        #expect(configuration.poll.waitMax == 7_200_000_000)
        #expect(configuration.poll.waitDefault == Configuration().poll.waitDefault)
    }

    @Test func everyKeyIsReadFromTheFileAndFromTheEnvironment() throws {
        for key in ConfigurationKey.all {
            let wrong = "no such value!"
            let inFile = problems("[\(key.section)]\n\(key.name) = \(wrong)\n")
            #expect(inFile.count == 1 && inFile[0].hasPrefix("f:2: \(key.path): "), "\(inFile)")
            let inEnvironment = problems(environment: [key.variable: wrong])
            #expect(
                inEnvironment.count >= 1
                    && inEnvironment[0].hasPrefix("\(key.variable): \(key.path): "),
                "\(inEnvironment)")
        }
    }

    @Test func whatIsPrintedReadsBackTheSame() throws {
        let file = """
            [listen]
            tcp = 127.0.0.1:1, [::1]:2
            unix = /tmp/a b.sock
            unix_mode = 600
            [http]
            hosts = bus.example, bus.example:8080
            origins = https://dash.example
            idle_seconds = 90
            [access]
            rule = a.> publish,subscribe user:root  gid:5
            rule = b subscribe anyone
            tokens = /etc/belfry/tokens
            [bus]
            autocreate = no
            event_bytes = 3K
            [retention]
            keep = none
            bytes = none
            for = 1500ms
            [poll]
            wait_default = 0
            [store]
            state_directory = /srv/belfry
            """
        let configuration = try load(file)
        #expect(configuration != Configuration())
        #expect(try load(configuration.text) == configuration)
        #expect(try load(Configuration().text) == Configuration())
    }

    @Test func aListMayBeSpreadOverLinesAndReplacesTheOneBeneath() throws {
        let file = "[listen]\ntcp = 127.0.0.1:1\ntcp = 127.0.0.1:2, 127.0.0.1:3\n"
        #expect(try load(file).listen.tcp.map(\.description).count == 3)
        let over = try load(file, environment: ["BELFRY_LISTEN_TCP": "127.0.0.1:4"])
        #expect(over.listen.tcp.map(\.description) == ["127.0.0.1:4"])
        let none = try load(file, environment: ["BELFRY_LISTEN_TCP": ""])
        #expect(none.listen.tcp.isEmpty)
    }

    @Test func aRuleIsALineOfTheFileAndAPartOfTheVariable() throws {
        let file = "[access]\nrule = a publish uid:1\nrule = b subscribe token:t\n"
        #expect(
            try load(file).access.rules.map(\.description)
                == ["a publish uid:1", "b subscribe token:t"])
        let over = try load(
            file, environment: ["BELFRY_ACCESS_RULE": "c publish uid:2; d publish\tanyone;\n"])
        #expect(
            over.access.rules.map(\.description) == ["c publish uid:2", "d publish anyone"])
        #expect(try load(file, environment: ["BELFRY_ACCESS_RULE": ""]).access.rules == [])
    }

    @Test func moreRulesThanTheBoundAreRefusedWhereverTheyStand() throws {
        let rules = (0...AccessLimits.rulesMax).map { "topic-\($0) publish uid:1" }
        func file(_ count: Int) -> String {
            "[access]\n" + rules.prefix(count).map { "rule = \($0)\n" }.joined()
        }
        let (most, tooMany) = (file(AccessLimits.rulesMax), file(AccessLimits.rulesMax + 1))
        #expect(try load(most).access.rules.count == AccessLimits.rulesMax)
        let refusal =
            "configuration: access.rule is there \(AccessLimits.rulesMax + 1) times, and "
            + "\(AccessLimits.rulesMax) rules is the most: a pattern stands for several topics"
        #expect(problems(tooMany) == [refusal])
        let variable = "BELFRY_ACCESS_RULE"
        #expect(problems(environment: [variable: rules.joined(separator: ";")]) == [refusal])
        // The rules of the environment replace those of the file before anybody counts.
        #expect(problems(tooMany, environment: [variable: rules[0]]) == [])
    }

    @Test func listenOptionsReplaceEveryConfiguredAddress() throws {
        let tcp = try load(arguments: ["--listen", "127.0.0.1:0"])
        #expect(tcp.listen.tcp.map(\.description) == ["127.0.0.1:0"])
        #expect(tcp.listen.unix == .none)
        let unix = try load(arguments: ["--listen=unix:/tmp/x.sock"])
        #expect(unix.listen.tcp.isEmpty)
        #expect(unix.listen.unix == .path("/tmp/x.sock"))
        #expect(try load().listen.unix == .automatic)
    }

    @Test func allProblemsAreToldInTheOrderOfTheFile() {
        let file =
            "[http]\nidel_seconds = 1\nloops = x\n[pol]\na = b\n[http]\nloops = 2\nnonsense\n"
        let lines = problems(file)
        #expect(lines.map { $0.prefix(3) } == ["f:2", "f:3", "f:5", "f:7", "f:8"], "\(lines)")
        #expect(lines[0].contains("idle_seconds"))
        #expect(lines[2].contains("[poll]"))
        #expect(lines[3].contains("f:3"))
    }

    @Test(arguments: [
        ("[poll]|wait_max = 25h", "1s to 1d"),
        ("[poll]|wait_max = 10 # seconds", "begins with ` ;`"),
        ("[http]|header_seconds = 1500ms", "whole seconds"),
        ("[access]|rule = a publish user:no-such-user", "no user `no-such-user`"),
        ("[access]|rule = a.** publish anyone", "a wildcard is a whole segment"),
        ("[access]|tokens = tokens", "absolute"),
        ("[bus]|event_bytes = 1MB", "64K"),
        ("[bus]|topics = -1", "digits"),
        ("[bus]|autocreate = maybe", "yes nor no"),
        ("[listen]|tcp = unix:/x", "ADDRESS:PORT"),
        ("[listen]|tcp = localhost:7464", "127.0.0.1"),
        ("[listen]|unix = belfry.sock", "absolute"),
        ("[listen]|unix_mode = 888", "octal"),
        ("[store]|store = sqlite:belfry.db", "is not an absolute path"),
        ("[store]|store = redis", "write memory"),
        ("[http]|origins = null", "origin"),
        ("k = v", "before the first [section]"),
    ])
    func whatIsNoValueIsRefusedWithWhatToWrite(file: String, advice: String) {
        let lines = problems(file.onLines)
        #expect(lines.count == 1 && lines[0].contains(advice), "\(lines)")
    }

    @Test(arguments: [
        ("[listen]|tcp =|unix = none", "no client could reach"),
        ("[poll]|wait_max = 10s", "wait_default"),
        ("[retention]|bytes = 1K", "event_bytes"),
        ("[bus]|memory_bytes = 1M", "twice"),
    ])
    func settingsThatContradictEachOtherAreRefused(file: String, reason: String) {
        let lines = problems(file.onLines)
        #expect(lines.count == 1 && lines[0].contains(reason), "\(lines)")
    }

    @Test func aMisspeltVariableOfOurSectionsIsRefusedAndOthersAreNotOurs() {
        #expect(problems(environment: ["BELFRY_POLL_WAITMAX": "1h"]).count == 1)
        #expect(problems(environment: ["BELFRY_URL": "x", "BELFRY_LONG": "1"]).isEmpty)
    }

    @Test func aFileThatIsNamedHasToBeThere() {
        let path = "/nonexistent/belfryd.conf"
        #expect(throws: ConfigurationProblems(.file(path, line: 0), Self.missing)) {
            try Configuration(options: CommandLineOptions(["--config", path]), environment: [:])
        }
    }

    private static let missing = "it cannot be read: No such file or directory"
}
