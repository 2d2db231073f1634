import HTTPFront
import Testing

@testable import BusAPI

@Suite struct ReceiveRequestTests {
    @Test(
        "the next target keeps everything of this one but its cursor",
        arguments: [
            ("/topics/a", "/topics/a?since="),
            ("/topics/a?", "/topics/a?since="),
            ("/topics/a?since=5", "/topics/a?since="),
            ("/topics/a?wait=1&since=now&max=2", "/topics/a?wait=1&max=2&since="),
            ("/topics/a%2Cb?key=x%20y&since", "/topics/a%2Cb?key=x%20y&since="),
            ("http://localhost:7464/topics/a?as=json", "/topics/a?as=json&since="),
            ("/topics/a?sincere=1&since=2", "/topics/a?sincere=1&since="),
            ("/topics/a?&&key=s&%73ince=now&", "/topics/a?key=s&since="),
        ])
    func nextTarget(target: String, next: String) throws {
        #expect(ReceiveRequest.nextTarget(try RequestTarget(target)) == next)
    }
}
