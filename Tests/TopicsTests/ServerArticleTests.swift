import Protection
import TestSupport
import Testing
import Topics

/// The code of the article "A bus in your Swift server" is `ServerArticle.swift`, which is run here.
///
/// The bound is for a follower that hangs: its turns come between those of all other tests.
@Suite(.timeLimit(.minutes(30))) struct ServerArticleTests {
    @Test func theCodeOfTheArticleIsWhatIsCompiled() throws {
        let article = try PackageFiles.text("Sources/Libraries/Topics/Topics.docc/ServerBus.md")
        let compiled = try PackageFiles.text("Tests/TopicsTests/ServerArticle.swift")
        #expect(Self.swift(in: article) == compiled)
    }

    /// The blocks of Swift in a text, with an empty line between two.
    private static func swift(in article: String) -> String {
        article.split(separator: "```swift\n", omittingEmptySubsequences: false).dropFirst()
            .map { $0[..<($0.firstRange(of: "```\n")?.lowerBound ?? $0.endIndex)] }
            .joined(separator: "\n")
    }

    @Test func onlyNewsReachesObserversAndTheHistory() async throws {
        let server = try BuildServer()

        let first = try #require(try await server.report(.running, of: "web"))
        #expect(try await server.report(.running, of: "web") == nil)
        let second = try #require(try await server.report(.running, of: "app"))
        #expect(server.running == ["app", "web"])
        let third = try #require(try await server.report(.failed, of: "web"))
        #expect(server.running == ["app"])
        #expect(server.failures.value == 1)
        #expect(server.forgetEnded() == 1)
        #expect(server.forgetEnded() == 0)
        #expect(server.running == ["app"])

        var reader = try BuildReader(server.history, from: .earliest)
        let (web, app) = (try TopicName("builds.web"), try TopicName("builds.app"))
        #expect(
            reader.next() == [
                .change(first, topic: web, to: .running),
                .change(second, topic: app, to: .running),
                .change(third, topic: web, to: .failed),
            ])
        #expect(reader.next() == [])
        #expect(reader.cursor == third)
    }

    @Test func aNameThatIsNoneChangesNothing() async throws {
        let server = try BuildServer()
        await #expect(throws: NameError.self) { try await server.report(.running, of: "a b") }
        #expect(server.running == [])
    }

    @Test func aReaderThatComesBackTooLateIsToldWhatIsLost() async throws {
        let server = try BuildServer(keep: 1)
        let first = try #require(try await server.report(.running, of: "web"))
        let second = try #require(try await server.report(.failed, of: "web"))
        let third = try #require(try await server.report(.passed, of: "web"))
        var reader = try BuildReader(server.history, from: .after(first))
        #expect(reader.next() == [.lost(through: second)])
        #expect(
            reader.next() == [.change(third, topic: try TopicName("builds.web"), to: .passed)])
        #expect(reader.next() == [])
    }

    @Test func aFollowerLearnsOfEveryChangeUntilItIsCancelled() async throws {
        let server = try BuildServer()
        let (told, tell) = AsyncStream.makeStream(of: BuildChange.self)
        let follower = Task { try await server.follow(after: .zero) { tell.yield($0) } }
        var following = told.makeAsyncIterator()
        for round in 0..<100 {
            let state = round % 2 == 0 ? BuildState.running : .passed
            let id = try #require(try await server.report(state, of: "web"))
            let expected = BuildChange.change(id, topic: try TopicName("builds.web"), to: state)
            #expect(await following.next() == expected)
        }
        follower.cancel()
        try await follower.value
        #expect(server.history.statistics.subscribers == 0)
    }
}
