import HTTPFront
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// Changes of which nobody knows whether they were made.
@Suite(.blocking) struct UnansweredTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        ("POST", "/topics/t"), ("PUT", "/topics/t"), ("DELETE", "/topics/t"),
        ("PUT", "/groups/g?of=t"),
    ])
    func theConnectionEndsInPlaceOfAnAnswer(method: String, target: String) throws {
        let store = DoorStore(in: folder, log: StreamServer.log)
        let server = try StreamServer(store: store)
        #expect(try server.connect().exchange("POST", "/topics/t", body: [0x78]).status == 201)
        store.refuse(.unanswered)
        let client = try server.connect()
        try client.send(method, target, body: method == "POST" ? [0x78] : [])
        #expect(try client.readToEnd() == [])
        // Others go on.
        store.refuse(nil)
        #expect(try server.connect().exchange("POST", "/topics/t", body: [0x78]).status == 201)
    }

    @Test func aMessageOfAWebSocketHasNoAnswerAndThoseBehindItHave() throws {
        var answers = PublishAcknowledgements()
        let numbers = (0..<3).map { _ in answers.await(nil, bytes: 1) }
        answers.settle(numbers[0], .failure(Refusal(BusError.unanswered)))
        answers.settle(numbers[1], .success(EventID(rawValue: 7)))
        answers.settle(numbers[2], .failure(Refusal(BusError.unanswered)))
        var reader = WebSocketReader()
        #expect(try reader.feed(answers.take()) == [.text(#"{"id":"7"}"#)])
        #expect(answers.isEmpty)
    }
}
