import Glibc
import TestSupport
import Testing

/// Heads of real clients, changed at random, from several users, under rules and settings that
/// change: a loop that knows heads answers what a daemon does that parses each request.
///
/// `BELFRY_LONG` makes it 20,000 heads, others in each run. `BELFRY_SEED` repeats a run. Other users are played by
/// the thread's own file system user, which the sockets that it makes have: it takes root.
@Suite(.blocking) struct LongKnownHeadsTests {
    private static let heads = RandomRun.isLong ? 20_000 : Sanitizer.isOn ? 200 : 700
    private static let users: [UInt32] = [0, 41_001, 41_002]
    private static let targets = (
        publish: [
            "/topics/t", "/topics/u", "/topics/u.v-1?type=a&key=b", "/topics/t?split=lines",
        ],
        poll: [
            "/topics/t?since=0&wait=0&max=3", "/topics/u?wait=0&since=0000&as=json&max=2",
            "/topics/t,u.%3E?since=0&wait=0&as=json&max=2", "/topics/u?wait=0",
        ]
    )
    /// No request becomes one that waits long.
    private static let waits = "[poll]\nwait_default = 20ms\nwait_max = 1s\n"
    private static let configurations: [(rules: [String], settings: String)] = [
        ([], ""),
        (["t publish uid:41001", "u subscribe uid:41002"], "[http]\nloops = 1\n"),
        (["> publish,subscribe uid:0 uid:41002"], "[bus]\nevent_bytes = 6\n"),
        (["u.> publish uid:41002", "t subscribe uid:0"], "[bus]\nautocreate = no\n"),
    ]

    @Test func eachAnswerIsThatOfADaemonThatParses() throws {
        try #require(
            getuid() == 0, "other users are played by the file system user: run the tests as root")
        var random =
            RandomRun.isLong ? SeededRandom(for: "known heads") : SeededRandom(seed: 1)
        let recorded = try MutatedRequest.recorded()
        let settings = "[http]\nloops = 1\n" + Self.waits
        let knowing = try AccessDaemon(rules: [], settings: settings)
        let parsing = try AccessDaemon(rules: [], settings: settings)
        let neighbours = try [knowing, parsing].map { try $0.daemon.connect() }
        var kept: [UInt32: RawClient] = [:]
        var seen: [MutatedRequest] = []
        for step in 0..<Self.heads {
            if step % 20 == 19 {
                let (rules, settings) = Self.configurations.randomElement(using: &random)!
                for daemon in [knowing, parsing] {
                    try daemon.reload(rules: rules, settings: settings + Self.waits)
                }
            }
            var request: MutatedRequest
            if let old = seen.suffix(4).randomElement(using: &random),
                Bool.random(using: &random)
            {
                request = old
            } else {
                request = Self.mutated(recorded.randomElement(using: &random)!, using: &random)
                seen.append(request)
            }
            for _ in 0..<3 {
                request.trace(using: &random)
                let uid = Self.users.randomElement(using: &random)!
                let wanted = try Self.client(of: parsing, as: uid).told(
                    of: request, onceMore: true, at: parsing.daemon.port, beside: neighbours[1])
                let keeps =
                    wanted.rest.isEmpty && request.isWhole && Bool.random(using: &random)
                let old = keeps ? kept.removeValue(forKey: uid) : nil
                let client = try old ?? Self.client(of: knowing, as: uid)
                let told = try client.told(
                    of: request, keeping: keeps, at: knowing.daemon.port, beside: neighbours[0])
                try #require(
                    told.first == wanted.first && told.rest == wanted.rest,
                    "step \(step), uid \(uid), kept: \(old != nil): \(request)\n\(told)\n\(wanted)")
                if told.isOpen, told.first?.closes == false { kept[uid] = client }
            }
        }
        let repeats = try [knowing, parsing].map { try $0.daemon.connect().repeats() }
        #expect(repeats[0] > Self.heads / 4 && repeats[1] == 0, "\(repeats)")
        print("\(Self.heads) heads, known \(repeats[0]) times")
    }

    /// A connection whose socket is this user's, as the kernel tells a daemon.
    private static func client(of access: AccessDaemon, as uid: UInt32) throws -> RawClient {
        // The C library changes the calling thread alone. Its header is in no module.
        typealias Function = @convention(c) (uid_t) -> Int32
        let function = try #require(dlsym(nil, "setfsuid"))
        let setfsuid = unsafeBitCast(function, to: Function.self)
        _ = setfsuid(uid)
        defer { _ = setfsuid(0) }
        return try RawClient(access.daemon.tcp)
    }

    private static func mutated(_ head: [String], using random: inout SeededRandom)
        -> MutatedRequest
    {
        let targets = head[0].hasPrefix("POST") ? targets.publish : targets.poll
        let body = String(repeating: "a\n", count: Int.random(in: 0..<5, using: &random))
        var request = MutatedRequest(
            head, target: targets.randomElement(using: &random)!, body: body)
        for _ in 0..<Int.random(in: 0..<4, using: &random) { request.mutate(using: &random) }
        return request
    }
}

/// What a request was answered.
private struct ToldOfRequest {
    var first: Answered?
    /// How the answer begins to what the daemon took for another request behind it; empty without one.
    var rest = ""
    /// Whether the connection can have another request.
    var isOpen = false
}

extension RawClient {
    /// Sends a request, and says the end behind its answer unless the connection is kept; also where nothing
    /// comes though the loop has looked at the request: it has answered a neighbour since, turn after turn.
    fileprivate func told(
        of request: MutatedRequest, onceMore: Bool = false, keeping: Bool = false, at port: UInt16,
        beside neighbour: RawClient
    ) throws -> ToldOfRequest {
        let text = request.text(port: port)
        try send(onceMore ? text.unknown : text)
        let isPrompt = !isSilent(for: 0.01)
        if !isPrompt {
            for _ in 0..<3 {
                _ = try neighbour.exchange("GET", "/healthz", headers: [(.newHeaderName, "x")])
            }
            halfClose()
        }
        var told = ToldOfRequest()
        do {
            let answer = try readAnswer(toHead: text.hasPrefix("HEAD "))
            told.first = Answered(answer, at: port)
        } catch {
            guard error == .closed(received: "") else { throw error }
            return told
        }
        told.isOpen = keeping && isPrompt
        guard !told.isOpen else { return told }
        halfClose()
        told.rest = String(decoding: try readToEnd().prefix(12), as: UTF8.self)
        return told
    }
}
