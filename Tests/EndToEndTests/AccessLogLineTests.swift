import Glibc
import TestSupport
import Testing

/// The access log of a running bus.
@Suite(.blocking) struct AccessLogLineTests {
    private let log = AccessLogFile()
    private var folder: TemporaryFolder { log.folder }
    private var path: String { log.path }

    private func daemon() throws -> RunningDaemon {
        try RunningDaemon(configuration: log.configuration)
    }

    /// The line of a request, once it is there.
    private func line(_ beginning: String, in path: String? = nil) throws -> String {
        var found: String?
        try eventually("a line of \(beginning)") {
            found = folder.text(of: path ?? self.path).split(separator: "\n").map(String.init)
                .first { $0.contains(beginning) }
            return found != nil
        }
        return try #require(found)
    }

    @Test func everyRequestThatEndedHasItsLine() throws {
        let daemon = try daemon()
        let client = try daemon.connect()
        try client.publish("hello", to: "a")
        let forged = try client.get("/topics", headers: [("Authorization", "Bearer secret")])
        #expect(forged.status == 401)
        #expect(try line("\"status\":401").contains("\"code\":\"TOKEN_INVALID\""))
        #expect(try client.get("/topics/a?since=earliest&key=secret&wait=0").status == 204)
        #expect(try client.get("/topics/none/events/1").status == 404)
        let post = try line("\"method\":\"POST\"")
        for part in [
            "\"path\":\"/topics/a\",\"status\":201,\"bytes_in\":5,\"bytes_out\":",
            "\"uid\":\(getuid()),\"us\":",
        ] {
            #expect(post.contains(part), "\(post)")
        }
        #expect(try line("\"path\":\"/topics/a\",\"status\":204").contains("\"form\":\"raw\""))
        #expect(try line("/events/1").contains("\"status\":404,\"code\":\"EVENT_UNKNOWN\""))

        let unix = try RawClient(daemon.unix)
        try unix.send("GET", "/topics/waits?as=json&wait=10ms")
        #expect(try unix.readAnswer().status == 200)
        let poll = try line("/topics/waits")
        #expect(poll.contains("\"form\":\"json\"") && poll.contains("\"pid\":\(getpid())"))

        let stream = try daemon.connect()
        try stream.send("GET", "/topics/a?as=sse&since=earliest")
        _ = try stream.readHead()
        try client.await(subscribers: 1, of: "a")
        stream.close()
        #expect(try line("\"form\":\"sse\"").contains("\"status\":200"))

        let socket = try WebSocketClient(daemon.tcp, "/topics/a")
        #expect(try socket.text().hasPrefix("{\"cursor\""))
        try socket.send(.close(1000))
        _ = try socket.closeCode()
        let upgraded = try line("\"form\":\"websocket\"")
        #expect(upgraded.contains("\"status\":101"))

        let late = try daemon.connect()
        try late.send(
            "POST /topics/broken HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx")
        late.close()
        let broken = try line("/topics/broken")
        #expect(!broken.contains("\"status\"") && broken.contains("\"bytes_in\":1"), "\(broken)")
        #expect(!folder.text(of: path).contains("secret"))
        _ = try daemon.terminate()
        #expect(daemon.logLines.allSatisfy { !$0.contains("\"method\"") })
    }

    @Test func aReloadOpensTheFileAnewAndCanEndIt() throws {
        let daemon = try daemon()
        let client = try daemon.connect()
        #expect(try client.get("/healthz").status == 200)
        _ = try line("/healthz")
        folder.rename("access.log", to: "access.log.1")
        daemon.send(SIGHUP)
        _ = try daemon.line { $0.contains("configuration reloaded") }
        #expect(try client.get("/version").status == 200)
        _ = try line("/version")
        #expect(!folder.text(of: "\(path).1").contains("/version"))
    }
}
