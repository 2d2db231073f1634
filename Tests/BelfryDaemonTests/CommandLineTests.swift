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
