import TestSupport
import Testing

/// `/openapi.yaml`, which programs that make clients ask the daemon for.
@Suite(.blocking) struct ServedDescriptionTests {
    @Test func theDescriptionIsServedByteForByteAsItIsInTheRepository() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let page = try PackageFiles.text("docs/openapi.yaml")
        let answer = try client.get("/openapi.yaml")
        #expect(answer.status == 200 && answer.text == page)
        #expect(answer.header("content-type") == "application/yaml")
        let head = try client.exchange("HEAD", "/openapi.yaml")
        #expect(head.status == 200 && head.number("content-length") == UInt64(page.utf8.count))
        #expect(
            try client.exchange("OPTIONS", "/openapi.yaml").header("allow") == "GET, HEAD, OPTIONS")
        #expect(try client.exchange("POST", "/openapi.yaml", body: [0x78]).status == 405)
        #expect(try client.get("/openapi.yaml?x=1").status == 400)
    }

    @Test func whoAsksForNothingThatIsThereIsToldOfIt() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        for path in ["/", "/help", "/docs", "/topics/", "/openapi.json", "/openapi.yaml/"] {
            let answer = try client.get(path)
            #expect(answer.status == 404 && answer.member("code") == "PATH_UNKNOWN", "\(path)")
            #expect(answer.member("detail")?.contains("/openapi.yaml has every path") == true)
        }
    }
}
