import Access
import Protection
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// What is made beside the loops for a caller, by rules that change meanwhile.
@Suite(.blocking) struct LateJudgementTests {
    private let place: WorkPlace

    init() throws {
        place = try WorkPlace(group: "of=a.t0")
        // More than a loop looks at itself.
        for number in 0...Limits.topicLooksAtOnceMax { try place.publish("x", to: "a.t\(number)") }
    }

    @Test(
        arguments: [
            ("GET", "/topics", #"{"topics":[],"#), ("GET", "/topics?match=a.*", #"{"topics":[],"#),
            ("GET", "/groups", #"{"groups":[]}"#), ("HEAD", "/topics/a.*", ""),
        ])
    func nothingIsToldThatTheRulesOfTheAnswerHide(
        method: String, target: String, text: String
    ) throws {
        let gate = try place.server.service.backgroundReads.hold()
        let client = try place.server.connect()
        try client.send(method, target)
        try place.server.wait(forParked: 1)
        place.server.service.reload(WorkPlace.configuration("> subscribe uid:4242"))
        gate.open()
        let answer = try method == "HEAD" ? client.readHead() : client.readAnswer()
        #expect(answer.text.hasPrefix(text), "\(answer.text)")
        #expect(answer.header("event-count") == nil)
    }

    @Test func aRemovalGoesOnByTheRulesOfEachTurn() throws {
        let service = place.server.service
        var configuration = WorkPlace.configuration()
        configuration.access = WorkPlace.access(["> administer uid:1000"])
        service.reload(configuration)
        let gate = try service.backgroundReads.hold()
        let (answer, answered) = (Protected<Response?>(nil), Gate())
        TopicsRemoval(
            of: try TopicPattern("a.*"), by: Caller(uid: 1_000), on: service,
            unless: Cancellation()
        ) { response in
            answer.value = response
            answered.open()
        }.begin(for: nil)
        configuration.access = WorkPlace.access(["> administer uid:4242"])
        service.reload(configuration)
        gate.open()
        try answered.wait()
        #expect(answer.value?.status == 200)
        #expect(try place.server.bus.description(of: TopicName("a.t1")) != nil)
    }
}
