import TestSupport
import Testing

@Suite(.blocking) struct DoctorTests {
    @Test func aBusThatIsWellHasNothingWrong() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "x")
        let outcome = try rig.run("doctor")
        #expect(outcome.code == 0 && outcome.errors == "")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 8 && lines.allSatisfy { $0.hasPrefix("ok   ") })
        #expect(lines.contains { $0.hasSuffix(": 1 topics may be seen") })
        let objects = try rig.run("doctor", "--json").output.split(separator: "\n")
        #expect(objects.count == 8)
        #expect(objects.allSatisfy { $0.hasPrefix(#"{"check":""#) && $0.contains(#""ok":true"#) })
    }

    @Test func whatIsWrongIsSaidAndTheExitCode() throws {
        let rig = try CommandRig()
        let absent = try rig.run("doctor", "--url", "/nonexistent")
        #expect(absent.code == 4 && absent.output.contains("\nBAD  reached   the bus was not"))
        let refused = try rig.run("doctor", variables: ["BELFRY_TOKEN": "unknown"])
        #expect(refused.code == 3 && refused.output.contains("TOKEN_INVALID"))
    }
}
