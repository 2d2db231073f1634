import TestSupport
import Testing

@testable import belfry

@Suite(.blocking) struct MeasuringTests {
    @Test func everyRowCountsItsEventsAndNothingStays() throws {
        let rig = try CommandRig()
        let outcome = try rig.run("bench", "--events", "50", "--size", "10", "--json")
        #expect(outcome.code == 0 && outcome.errors == "")
        let events = outcome.output.split(separator: "\n").map { line in
            line.split(separator: ",").first { $0.hasPrefix("\"events\":") }
        }
        #expect(events == ["\"events\":50", "\"events\":50", "\"events\":100", "\"events\":50"])
        #expect(try rig.run("topics").output.split(separator: "\n").count == 1)
        let table = try rig.run("bench", "--events", "1").output
        #expect(table.hasPrefix("WHAT                 EVENTS  A SECOND"))
        #expect(try rig.run("bench", "--size", "2000000").code == 2)
        #expect(try rig.run("bench", "--url", "/nonexistent", "--patience", "0").code == 4)
    }

    @Test func aRowSaysItsRateAndItsTimes() {
        var row = MeasuredRow("it")
        for number in 1...100 { row.add(.microseconds(number)) }
        #expect(row.cells == ["it", "100", "19801", "51 µs", "100 µs"])
        #expect(
            row.json
                == #"{"what":"it","events":100,"per_second":19801,"median_us":51,"p99_us":100}"#)
        row.add(.seconds(1), events: 10)
        #expect(row.cells == ["it", "110", "109", "-", "-"])
    }
}
