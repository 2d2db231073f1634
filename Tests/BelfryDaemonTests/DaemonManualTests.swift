import TestSupport
import Testing

@testable import BelfryDaemon

/// The pages of the manual against the tables that they are made of.
@Suite(.blocking) struct DaemonManualTests {
    private func text(_ name: String) throws -> String {
        try DaemonManual.page(name).text.replacing("\\-", with: "-")
    }

    @Test func everyOptionAndExitStatusIsOnThePageOfTheDaemon() throws {
        let text = try text("belfryd")
        for option in Option.all { #expect(text.contains("\n.TP\n\\fB\(option.name)")) }
        for code in ExitCode.allCases { #expect(text.contains("\\fB\(code.rawValue)\\fR\n")) }
    }

    @Test func everyKeyIsOnThePageOfTheConfiguration() throws {
        let sections = try text("belfryd.conf").split(separator: ".SS ")
        for key in ConfigurationKey.all {
            let section = sections.first { $0.hasPrefix("\"[\(key.section)]\"") }
            #expect(section?.contains("\n.TP\n\\fB\(key.name)\\fR\n") == true, "\(key.path)")
        }
    }

    @Test func theProgramPrintsItsPagesAndNoOthers() throws {
        for page in DaemonManual.pages {
            let child = try ChildProcess(ChildProcess.product("belfryd"), ["--man", page.name])
            #expect(try child.wait() == .exited(0))
            #expect(child.text(of: .output) == page.text)
        }
        let child = try ChildProcess(ChildProcess.product("belfryd"), ["--man", "belfry"])
        #expect(try child.wait() == .exited(2))
        #expect(child.text(of: .errors).contains("`belfry` is none of: belfryd, belfryd.conf"))
    }

    @Test func whatReadsThePagesFindsNoFault() throws {
        for page in DaemonManual.pages { #expect(try ManualLint.faults(of: page.text) == "") }
    }
}
