import SQLiteStore
import TestSupport
import Testing
import Topics

/// A bus on a file that is made without naming a store, a budget or a log.
@Suite struct FileBusTests {
    @Test(.blocking) func whatWasPublishedIsThereAfterARestart() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/builds.db"
        let first = try EventBus(file: path)
        let id = try await first.publish("passed", to: "builds.web")
        first.close()

        let second = try EventBus(file: path)
        defer { second.close() }
        let next = try await second.publish("failed", to: "builds.web")
        #expect(next > id)
        var told: [String] = []
        for try await delivery in try second.subscribe(Selector("builds.>"), since: .earliest) {
            guard case .event(let event) = delivery else { continue }
            told.append(event.payload.text)
            if told.count == 2 { break }
        }
        #expect(told == ["passed", "failed"])
    }

    @Test func aFileThatCannotBeMadeIsRefusedWithASentence() throws {
        #expect(throws: StoreError.self) { try EventBus(file: "/nowhere/at/all/builds.db") }
    }
}
