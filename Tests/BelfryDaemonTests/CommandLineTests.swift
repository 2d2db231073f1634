import Testing

@testable import BelfryDaemon

struct CommandLineTests {
    @Test func optionsTakeTheirValueBehindABlankOrAnEqualsSign() throws {
        let options = try CommandLineOptions([
            "--config", "/a", "--listen=127.0.0.1:0", "--listen", "unix:/b=c", "--store=memory",
            "--log-level", "debug",
        ])
        #expect(options.action == .serve)
        #expect(options.config == "/a")
        #expect(options.listen == ["127.0.0.1:0", "unix:/b=c"])
        #expect(options.store == "memory")
        #expect(options.logLevel == "debug")
    }

    @Test func everyOptionOfTheTableIsParsedAndHelped() throws {
        let untouched = try CommandLineOptions([])
        for option in Option.all {
            let arguments = [option.name] + (option.value == nil ? [] : ["x"])
            #expect(try CommandLineOptions(arguments) != untouched, "\(option.name)")
            #expect(Help.text.contains("  \(option.name)"), "\(option.name)")
        }
    }

    @Test func helpHasAShortName() throws {
        #expect(try CommandLineOptions(["-h"]).action == .help)
        #expect(Help.text.contains("  --help, -h\n"))
    }

    @Test func helpSaysWhereItServesAndKeepsEventsWithoutAnOption() throws {
        #expect(Help.text.contains("serves at 127.0.0.1:7464, [::1]:7464 and"))
        let run = ["HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/user/1"]
        let user = try ResolvedLocations(
            Configuration(), in: RuntimeEnvironment(environment: run, uid: 1))
        let root = try ResolvedLocations(
            Configuration(), in: RuntimeEnvironment(environment: ["HOME": "/root"], uid: 0))
        let paths = [user, root].flatMap(\.listen).map(\.description).compactMap {
            $0.hasPrefix("unix:") ? String($0.dropFirst(5)) : nil
        }
        #expect(paths.count == 2)
        for path in paths + [try #require(user.stateDirectory)] {
            let written = path.replacing("/run/user/1", with: "$XDG_RUNTIME_DIR")
                .replacing("/home/a", with: "~")
            #expect(Help.text.contains(written), "\(written)")
        }
    }

    @Test func everyExitStatusIsHelped() {
        for code in ExitCode.allCases {
            #expect(Help.text.contains("  \(code.rawValue)  \(code.meaning)"))
        }
    }

    @Test(arguments: [
        (["--listn"], "--listn: this is no option: see belfryd --help"),
        (["--config"], "--config: it needs a value: --config FILE"),
        (["--config="], "--config: it needs a value: --config FILE"),
        (["--help=yes"], "--help: it takes no value"),
        (["serve"], "serve: this is no option: see belfryd --help"),
        ([""], ": this is no option: see belfryd --help"),
    ])
    func whatIsNoOptionIsNamed(arguments: [String], sentence: String) {
        #expect {
            try CommandLineOptions(arguments)
        } throws: { error in
            (error as? ConfigurationProblems)?.description == sentence
        }
    }
}
