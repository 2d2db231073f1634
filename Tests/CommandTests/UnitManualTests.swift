import About
import TestSupport
import Testing

@testable import belfry

/// The page about the units against `systemd/`.
@Suite struct UnitManualTests {
    private func unit(_ row: UnitRow) throws -> String {
        try PackageFiles.text("systemd/\(row.service())")
    }

    /// The lines of the example in the comment of a unit.
    private func example(in unit: String) throws -> [String] {
        try PackageFiles.text("systemd/\(unit)").split(separator: "\n")
            .filter { $0.hasPrefix("#     ") }.map { String($0.dropFirst(6)) }
    }

    private func values(_ key: String, of row: UnitRow) throws -> [String] {
        try unit(row).split(separator: "\n").filter { $0.hasPrefix("\(key)=") }
            .flatMap { $0.dropFirst(key.count + 1).split(separator: " ") }.map { String($0) }
    }

    @Test func theTableHasEveryUnitThatTakesAName() throws {
        let names = try PackageFiles.names(in: "systemd").filter { $0.contains("@") }
        #expect(names.sorted() == UnitRow.all.flatMap { $0.units() }.sorted())
    }

    @Test func theExampleOfAUnitIsThatOfItsFile() throws {
        for row in UnitRow.all {
            #expect(try example(in: row.service()) == row.example, "\(row.service())")
            guard let timer = row.timer() else { continue }
            #expect(try example(in: timer) == row.timerExample, "\(timer)")
        }
    }

    @Test func aUnitRunsItsCommandAndStaysDownAsThePageSays() throws {
        for row in UnitRow.all {
            #expect(try unit(row).contains("\nExecStart=/usr/bin/belfry \(row.command) "))
            let codes = try values("RestartPreventExitStatus", of: row).compactMap { Int32($0) }
            #expect(codes == row.lastingExits.map(\.rawValue), "\(row.service())")
            #expect(CommandTable.all.contains { $0.name == row.command })
            let pages = try values("Documentation", of: row)
            #expect(pages.starts(with: ["man:belfry-units(7)", "man:belfry-\(row.command)(1)"]))
        }
    }

    @Test func aUnitStartsWithTheMachineOrByItsTimerAndKeepsItsStateWhereThePageSays() throws {
        for row in UnitRow.all {
            let targets = try values("WantedBy", of: row)
            #expect(targets == (row.timer() == nil ? ["multi-user.target"] : []), "\(row.kind)")
            let folders = try values("StateDirectory", of: row)
            #expect(folders == (row.hasFolder ? ["belfry-\(row.kind)/%i"] : []), "\(row.kind)")
            guard let timer = row.timer() else { continue }
            let text = try PackageFiles.text("systemd/\(timer)")
            #expect(text.contains("\nWantedBy=timers.target\n"), "\(timer)")
        }
    }

    @Test func thePageIsFoundByTheNameOfEachUnit() throws {
        let lines = UnitManual.page.text.replacing("\\-", with: "-").split(separator: "\n")
        let heading = try #require(lines.firstIndex(of: ".SH NAME"))
        let names = lines[heading + 1].split(separator: " - ")[0].split(separator: ", ")
        #expect(names.map { String($0) } == [UnitManual.name] + UnitRow.all.flatMap { $0.units() })
        #expect(UnitManual.page.file == "belfry-units.7")
    }
}
