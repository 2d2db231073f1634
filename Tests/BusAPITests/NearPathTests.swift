import HTTPFront
import Testing

@testable import BusAPI

/// What a path that leads nowhere was probably meant to be.
@Suite struct NearPathTests {
    @Test(arguments: [
        ("/deploys", "/topics/deploys"), ("/builds.log", "/topics/builds.log"),
        ("/builds/log", "/topics/builds.log"), ("/topics/builds/log", "/topics/builds.log"),
        ("/topics/", "/topics"), ("/topics/deploys/", "/topics/deploys"), ("/groups/", "/groups"),
        ("/topic/deploys", "/topics/deploys"), ("/group/mail", "/groups/mail"),
        ("/group/mail/next", "/groups/mail/next"), ("/help", "/docs"), ("/doc", "/docs"),
        ("/health", "/healthz"), ("/ready", "/readyz"), ("/metric", "/metrics"),
    ])
    func whatWasProbablyMeantIsNamed(path: String, meant: String) throws {
        let target = try RequestTarget(path)
        #expect(Resource(path: target.path) == nil)
        #expect(Resource.path(near: target.path) == meant)
        #expect(Route.nothing(at: target).problem.detail.contains("did you mean \(meant)? Topics"))
    }

    @Test(arguments: [
        "//", "/topics/a%20b", "/docs/a/b", "/metrics/x", "/groups/a/what",
        "/a/b/c/d/e/f/g/h/i",
        "/topics/t/events", "/topics/t/events/1/2", "/..", "/$SYS/..",
    ])
    func nothingIsGuessedOfOthers(path: String) throws {
        let target = try RequestTarget(path)
        #expect(Resource.path(near: target.path) == nil)
    }
}
