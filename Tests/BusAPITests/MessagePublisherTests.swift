import Access
import HTTPFront
import Testing
import Topics

@testable import BusAPI

@Suite struct MessagePublisherTests {
    private let configuration = BusAPIConfiguration(
        eventBytesMax: 16, access: AccessPolicy(administrator: 0), version: "")

    @Test func aRawMessageIsAPayloadOfTheSocketsTopicAndNothingElseIsSaidOfIt() throws {
        for message in [Kind.text, .binary] {
            let batch = try batch("a.b", #"{"data":1}"#, isRaw: true, as: message)
            #expect(batch.topic.text == "a.b")
            #expect(batch.payloads.map { Array($0.bytes) } == [Array(#"{"data":1}"#.utf8)])
            #expect(batch.metadata == .none)
            #expect(batch.sender == Sender(uid: 17, pid: 4))
        }
    }

    @Test func aMessageGoesWhereItSaysElseToTheSocketsTopic() throws {
        #expect(try batch("a", #"{"data":1}"#).topic.text == "a")
        #expect(try batch("a", #"{"data":1,"topic":"b"}"#).topic.text == "b")
        #expect(try batch("a.*", #"{"data":1,"topic":"b"}"#).topic.text == "b")
        #expect(try batch("a", #"{"data":1,"type":"t"}"#).metadata.type == "t")
        #expect(try batch("a", #"{"data":1}"#).sender == Sender(uid: 17, pid: 4))
    }

    @Test(arguments: ["a.*", ">", "a,b"])
    func aWideSelectorIsNoPlaceToPublishTo(selector: String) {
        #expect(refusal(selector, #"{"data":1,"ref":5}"#) == "TOPIC_NAME_INVALID")
        #expect(refusal(selector, "x", isRaw: true) == "TOPIC_NAME_INVALID")
        #expect(refusal(selector, "x", isRaw: true, as: .binary) == "TOPIC_NAME_INVALID")
    }

    @Test func bytesArePublishedOnlyRaw() {
        #expect(refusal("a", #"{"data":1}"#, as: .binary) == "REQUEST_MALFORMED")
    }

    @Test func anEventIsAsLargeAsAnyMayBe() throws {
        let largest = String(repeating: "x", count: 16)
        #expect(try batch("a", #"{"data":"\#(largest)"}"#).payloads[0].count == 16)
        #expect(refusal("a", #"{"data":"\#(largest)x"}"#) == "EVENT_TOO_LARGE")
        #expect(try batch("a", largest, isRaw: true, as: .binary).payloads[0].count == 16)
        #expect(refusal("a", largest + "x", isRaw: true, as: .binary) == "EVENT_TOO_LARGE")
    }

    @Test func thereIsRoomForEveryEventHoweverItIsWritten() throws {
        let name = String(repeating: #"\u0041"#, count: 255)
        let ref = String(repeating: "9", count: Limits.refBytesMax)
        let payload = String(repeating: #"\u0001"#, count: 16)
        let message =
            #"{"topic":"\#(name)","type":"\#(name)","key":"\#(name)","ref":\#(ref),"#
            + #""data":"\#(payload)"}"#
        let publisher = MessagePublisher(
            try Selector(">"), isRaw: false, from: Peer(transport: .unix), as: .unknown)
        #expect(message.utf8.count <= publisher.messageBytesMax(configuration))
        #expect(try batch(">", message).payloads[0].count == 16)
        let raw = MessagePublisher(
            try Selector("a"), isRaw: true, from: Peer(transport: .unix), as: .unknown)
        #expect(raw.messageBytesMax(configuration) == 16)
    }

    private enum Kind { case text, binary }

    private func batch(
        _ selector: String, _ text: String, isRaw: Bool = false, as kind: Kind = .text
    ) throws -> PublishBatch {
        let publisher = MessagePublisher(
            try Selector(selector), isRaw: isRaw,
            from: Peer(transport: .unix, uid: 17, groups: [3], pid: 4),
            as: Caller(uid: 17, groups: [3]))
        var ref: MessageRef?
        return try Array(text.utf8).withUnsafeBytes { bytes in
            try publisher.batch(
                of: kind == .text ? .text(bytes) : .binary(bytes), ref: &ref, configuration)
        }
    }

    private func refusal(
        _ selector: String, _ text: String, isRaw: Bool = false, as kind: Kind = .text
    ) -> String? {
        do {
            _ = try batch(selector, text, isRaw: isRaw, as: kind)
            return nil
        } catch {
            return (error as? Refusal)?.problem.code
        }
    }
}
