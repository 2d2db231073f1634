import TestSupport
import Testing

@testable import BusAPI

/// What is made beside the loops for a caller, by rules that change meanwhile.
@Suite(.blocking) struct LateJudgementTests {
    private let place: WorkPlace

    init() throws {
        place = try WorkPlace(group: "of=a.t0")
        // More than a loop looks at itself.
        for number in 0...Limits.topicsAtOnceMax { try place.publish("x", to: "a.t\(number)") }
    }

    @Test(
        arguments: [
            ("GET", "/topics", #"{"topics":[],"#), ("GET", "/topics?match=a.*", #"{"topics":[],"#),
            ("GET", "/groups", #"{"groups":[]}"#), ("HEAD", "/topics/a.*", ""),
        ])
    func nothingIsToldThatTheRulesOfTheAnswerHide(
        method: String, target: String, text: String
    ) throws {
        let gate = try place.server.service.longReads.hold()
        let client = try place.server.connect()
        try client.send(method, target)
        try place.server.wait { place.server.loops[0].parked.value == 1 }
        place.server.service.reload(WorkPlace.configuration("> subscribe uid:4242"))
        gate.open()
        let answer = try method == "HEAD" ? client.readHead() : client.readAnswer()
        #expect(answer.text.hasPrefix(text), "\(answer.text)")
        #expect(answer.header("event-count") == nil)
    }
}
