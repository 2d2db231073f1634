import TestSupport
import Testing

@testable import BusAPI

/// Every kind of change of a group while the store has no room.
@Suite(.blocking) struct WorkFullStoreTests {
    @Test func aFullStoreRefusesEachChangeHandsNothingOutAndLosesNothing() throws {
        let folder = TemporaryFolder(inMemory: true)
        let store = DoorStore(in: folder, log: StreamServer.log)
        let place = try WorkPlace(store: store, group: "of=jobs.>&dead=failed")
        try place.publish("letter")
        try place.expect(204, "POST", "/groups/g/dead?lease=\(try place.take())")
        let dead = try place.expect(200, "GET", "/topics/failed?since=earliest")
        let letter = try #require(dead.header("event-id"))
        for text in ["a", "b", "c", "d", "e", "f"] { try place.publish(text) }
        let leases = try (0..<5).map { _ in try place.take() }
        let changes: [(target: String, body: String?, status: Int)] = [
            ("POST /groups/g/extend?lease=\(leases[4])&for=2m", nil, 204),
            ("POST /groups/g/next?wait=0&done=\(leases[0])", nil, 200),
            ("POST /groups/g/done?lease=\(leases[1])", nil, 204),
            ("POST /groups/g/done?lease=\(leases[2])&to=out", "output", 204),
            ("POST /groups/g/retry?lease=\(leases[3])&delay=1h", nil, 204),
            ("POST /groups/g/dead?lease=\(leases[4])", nil, 204),
            ("POST /groups/g/revive?id=\(letter)", nil, 201),
            ("PUT /groups/g?attempts=7", nil, 200),
            ("PUT /groups/new?of=other", nil, 201),
            ("POST /groups/g/seek?since=now", nil, 200),
            ("DELETE /groups/g", nil, 204),
        ]
        let before = try place.group()

        store.setFull(true)
        try place.refuse(507, "STORE_FULL", "POST", "/groups/g/next?wait=0")
        for change in changes {
            let (method, target) = Self.parts(change.target)
            try place.refuse(507, "STORE_FULL", method, target, change.body)
            #expect(try place.group() == before, "\(change.target)")
        }
        try place.refuse(404, "GROUP_UNKNOWN", "GET", "/groups/new")
        let jobs = try place.expect(200, "GET", "/groups/g/jobs").text
        #expect(jobs.count(of: #""state":"leased""#) == 5)

        store.setFull(false)
        place.server.groups.sweep()
        for change in changes {
            let (method, target) = Self.parts(change.target)
            let answer = try place.expect(change.status, method, target, change.body)
            guard target.contains("next?") else { continue }
            #expect(answer.text == "f" && answer.header("work-attempt") == "1")
        }
        let out = try place.expect(200, "GET", "/topics/out?since=earliest&as=json")
        #expect(out.text.count(of: #""data":"output""#) == 1)
        let failed = try place.expect(200, "GET", "/topics/failed?since=earliest&as=json")
        #expect(failed.text.count(of: #""data":"e""#) == 1)
    }

    private static func parts(_ line: String) -> (method: String, target: String) {
        let space = line.firstIndex(of: " ") ?? line.endIndex
        return (String(line[..<space]), String(line[space...].dropFirst()))
    }
}

extension String {
    /// How often a text stands in it.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
