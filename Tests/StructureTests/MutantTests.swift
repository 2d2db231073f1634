import Foundation
import TestSupport
import Testing

/// The table of faults that `make mutants` plants does not rot while the sources change.
@Suite(.blocking) struct MutantTests {
    private static let records = Mutant.records(
        in: (try? PackageFiles.text("Tests/mutants.txt")) ?? "")
    private static let mutants = records.compactMap { $0 }

    /// The suites as a filter sees them: `TopicsTests.RetentionTests`.
    private static let suites = Repository.tests.flatMap { file in
        file.code.filter { $0.has("@Suite") }.compactMap { code in
            code.firstMatch(of: #/@Suite.*struct (\w+)/#).map { "\(file.module).\($0.1)" }
        }
    }

    @Test func everyRecordHasItsLinesInTheirOrder() {
        #expect(Self.mutants.count >= 40)
        #expect(Self.records.count { $0 == nil } == 0)
        #expect(Set(Self.mutants.map(\.name)).count == Self.mutants.count)
    }

    @Test func exactlyOneLineOfItsFileIsTheOneThatAFaultChanges() {
        for mutant in Self.mutants {
            #expect(mutant.places == 1, "\(mutant.name): \(mutant.before) in \(mutant.file)")
            #expect(mutant.before != mutant.after, "\(mutant.name)")
        }
    }

    @Test func theSuitesAndTheTestThatFindAFaultAreThere() throws {
        for mutant in Self.mutants {
            let filter = try Regex(mutant.filter)
            #expect(Self.suites.contains { $0.contains(filter) }, "\(mutant.name)")
            #expect(
                Repository.tests.contains { $0.lineText.has("func \(mutant.test)(") },
                "\(mutant.name): \(mutant.test)")
        }
    }

    /// Modules that are no more than names or a `main` have nothing to break, and the build alone runs
    /// `embed-files`.
    @Test func everyModuleHasAFaultThatItsTestsFind() {
        let modules = Set(Repository.sources.filter(\.isSwift).map(\.module))
        let planted = Set(
            Self.mutants.compactMap { $0.file.split(separator: "/").dropFirst(2).first })
        #expect(
            modules.subtracting(planted.map(String.init)) == ["About", "belfryd", "embed-files"])
    }

    @Test func aRecordOfOtherLinesIsFound() {
        let record = Mutant.fields.map { "\($0): x" }
        let texts = [
            record.joined(separator: "\n"), record.dropLast().joined(separator: "\n"),
            record.reversed().joined(separator: "\n"),
            (record + ["more: x"]).joined(separator: "\n"),
        ]
        let found = Mutant.records(in: "# top\n\n" + texts.joined(separator: "\n\n") + "\n")
        #expect(found.map { $0 != nil } == [true, false, false, false])
    }
}
