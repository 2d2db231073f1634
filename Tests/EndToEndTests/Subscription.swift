import Foundation
import TestSupport
import Testing

/// One topic of a running daemon, published to and followed in each way that a script would.
///
/// What follows it starts behind a cursor, checks that ids only rise, that nothing is said to be
/// missing and that no wait for the next event runs out, and returns payloads.
struct Subscription: Sendable {
    private let address: RawClient.Address
    private let url: String
    private let path: String
    private let topic: String

    init(_ daemon: RunningDaemon, topic: String) {
        self.topic = topic
        path = "/topics/\(topic)"
        address = daemon.tcp
        url = daemon.url(path)
    }

    /// The cursor behind everything that was published.
    func newest() throws -> UInt64 {
        let answer = try RawClient(address).exchange("GET", "\(path)?wait=0")
        return try #require(answer.number("event-cursor"), "\(answer.statusLine)")
    }

    /// Publishes lines by the real curl: several as one batch, one as an event.
    func publish(_ lines: [[UInt8]]) throws {
        guard lines.count > 1 else {
            _ = try Curl.publish(lines[0], to: url)
            return
        }
        let answer = try Curl.publish(
            Array(lines.joined(separator: [0x0A])), to: "\(url)?split=lines")
        try #require(answer.contains("\"count\":\(lines.count),"), "\(answer)")
    }

    /// A shell loop around the real curl, as the recipes have it: each event into a file.
    func followByShell(
        after start: UInt64, events: Int, into folder: TemporaryFolder
    ) throws -> (received: [[UInt8]], cursor: UInt64) {
        let loop = """
            set -eu
            cursor=$1 count=0
            while [ "$count" -lt "$2" ]; do
                answer=$(curl -sS -o "$4/$count" -w '%{http_code} %header{event-cursor}' \
                    "$3?since=$cursor")
                case $answer in
                200\\ *) count=$((count + 1)) ;;
                204\\ *) ;;
                *) echo "unexpected: $answer" >&2; exit 1 ;;
                esac
                cursor=${answer#* }
            done
            echo "$cursor"
            """
        let shell = try ChildProcess(
            "/bin/sh", ["-c", loop, "loop", "\(start)", "\(events)", url, folder.path])
        let ending = try shell.wait(within: 180)
        try #require(ending == .exited(0), "\(shell.text(of: .errors))")
        let cursor = try #require(UInt64(shell.text(of: .output).dropLast()))
        let files = (0..<events).map { URL(fileURLWithPath: "\(folder.path)/\($0)") }
        return (try files.map { Array(try Data(contentsOf: $0)) }, cursor)
    }

    /// One event per answer, over one connection.
    func followRaw(after cursor: inout UInt64, until count: Int) throws -> [[UInt8]] {
        let client = try RawClient(address)
        var received: [[UInt8]] = []
        while received.count < count {
            try take(client.exchange("GET", target(cursor), within: 60), &cursor, &received)
        }
        return received
    }

    /// All that is there per answer, over one connection.
    func followJSON(after start: UInt64, until count: Int) throws -> [[UInt8]] {
        let client = try RawClient(address)
        var cursor = start
        var received: [[UInt8]] = []
        while received.count < count {
            let body = try PollBody(
                client.exchange("GET", "\(target(cursor))&as=json", within: 60))
            try #require(body.gap == nil && !body.events.isEmpty, "behind \(cursor)")
            for event in body.events {
                let id = try #require(UInt64(event.id))
                try #require(id > cursor)
                cursor = id
                received.append(try event.payload)
            }
            cursor = try #require(UInt64(body.cursor))
        }
        return received
    }

    /// A stream that is cut off every few hundred events and resumed, unless its events do not say
    /// their ids.
    func followStream(
        _ form: SubscriberForm, after start: UInt64, until count: Int
    ) throws -> [[UInt8]] {
        var random = SeededRandom(for: "the \(form) that are cut off")
        let follower = try Follower(
            address, form, of: topic, after: start, query: form == .events ? "&envelope=yes" : "")
        while true {
            let step = form == .rawSocket ? count : Int.random(in: 1...800, using: &random)
            let next = min(count, follower.history.count + step)
            try follower.read("\(next) events", within: 180) { $0.count >= next }
            try #require(follower.stream.ending == nil && follower.history.gaps.isEmpty)
            if follower.history.count >= count { break }
            try follower.resume(address)
        }
        return follower.history.deliveries.map { Array($0.payload.utf8) }
    }

    /// One event per answer, by a subscriber that is killed every few events and knows only the
    /// cursor of the last answer that it had whole.
    func followDying(after start: UInt64, until count: Int) throws -> [[UInt8]] {
        var random = SeededRandom(for: "the subscriber that is killed")
        var cursor = start
        var received: [[UInt8]] = []
        while received.count < count {
            let client = try RawClient(address)
            for _ in 0..<Int.random(in: 1...7, using: &random) where received.count < count {
                try take(client.exchange("GET", target(cursor), within: 60), &cursor, &received)
            }
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where received.count < count:
                try killCurl(askingFor: target(cursor), whenAnswered: true)
            case 1:
                try killCurl(askingFor: target(cursor), whenAnswered: false)
            case 2..<10:
                try client.send("GET", target(cursor))
                client.reset()
            default:
                try client.send("GET", target(cursor))
            }
        }
        return received
    }

    private func target(_ cursor: UInt64) -> String { "\(path)?since=\(cursor)" }

    private func take(
        _ answer: RawClient.Answer, _ cursor: inout UInt64, _ received: inout [[UInt8]]
    ) throws {
        try #require(answer.status == 200 && answer.header("event-gap") == nil, "\(answer)")
        let next = try #require(answer.number("event-cursor"))
        try #require(next > cursor && answer.number("event-id") == next)
        received.append(answer.body)
        cursor = next
    }

    private func killCurl(askingFor target: String, whenAnswered: Bool) throws {
        let base = url.dropLast(path.utf8.count)
        let curl = try ChildProcess(ChildProcess.curl, ["-sSi", base + target])
        if whenAnswered { _ = try curl.line(from: .output, within: 60) }
        curl.send(SIGKILL)
        _ = try curl.wait()
    }
}
