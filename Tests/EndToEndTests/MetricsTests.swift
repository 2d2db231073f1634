import Glibc
import TestSupport
import Testing

/// What `/metrics` says, after things of which the figures are known.
@Suite(.blocking) struct MetricsTests {
    /// The samples of the page by name and labels.
    static func samples(
        _ client: RawClient, headers: [(String, String)] = []
    ) throws -> [String: Double] {
        let answer = try client.exchange("GET", "/metrics", headers: headers)
        try #require(answer.status == 200)
        var samples: [String: Double] = [:]
        for line in answer.text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            try #require(parts.count == 2, "\(line)")
            let name = String(parts[0])
            try #require(samples[name] == nil, "\(name) comes twice")
            let value: Double = try #require(Double(parts[1]), "\(line)")
            samples[name] = value
        }
        return samples
    }

    @Test func everyFamilySaysWhatItIsOnce() throws {
        let daemon = try RunningDaemon()
        let answer = try daemon.connect().get("/metrics")
        #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        var described: [String] = []
        var names: Set<Substring> = []
        for line in answer.text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP") {
                #expect(words.count == 4, "\(line)")
                #expect(names.insert(words[2]).inserted, "\(line)")
            } else if line.hasPrefix("# TYPE") {
                described.append(String(words[2]))
                let isTotal = words[2].hasSuffix("_total")
                #expect(isTotal == (words[3] == "counter"), "\(line)")
            } else {
                let family = try #require(described.last)
                #expect(line.hasPrefix(family), "\(line)")
            }
        }
        #expect(described.count == names.count)
        #expect(described.allSatisfy { $0.hasPrefix("belfry_") || $0.hasPrefix("process_") })
    }

    @Test(arguments: ["memory", "sqlite:PATH"]) func figuresAreWhatHappened(store: String) throws {
        let folder = TemporaryFolder()
        let store = store.replacing("PATH", with: "\(folder.path)/belfry.db")
        let daemon = try RunningDaemon(arguments: ["--store", store])
        let client = try daemon.connect()
        for text in ["one", "two", "three"] { try client.publish(text, to: "secret-name") }
        #expect(try client.get("/topics/secret-name?since=earliest").text == "one")
        #expect(try client.get("/topics/secret-name?since=earliest&as=json").status == 200)
        #expect(try client.get("/topics/secret-name?since=1").header("event-gap") != nil)
        #expect(try client.get("/nowhere").status == 404)
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/secret-name")
        try client.await(subscribers: 1, of: "secret-name")
        let waiting = try Self.samples(client)
        #expect(waiting["belfry_subscribers{form=\"raw\"}"] == 1)
        #expect(waiting["belfry_http_connections{state=\"subscribed\"}"] == 1)
        #expect(waiting["belfry_delivery_lag_seconds_count"] == 0)
        try client.publish("four", to: "secret-name")
        #expect(try poller.readAnswer().text == "four")
        let stream = try daemon.connect()
        try stream.send("GET", "/topics/secret-name?as=ndjson&since=earliest&wait=0")
        #expect(try stream.readAnswer().text.contains("four"))
        #expect(try client.exchange("DELETE", "/topics/secret-name").status == 204)

        let samples = try Self.samples(client)
        let expected: [String: Double] = [
            "belfry_ready": 1, "belfry_topics": 0, "belfry_retained_events": 0,
            "belfry_published_batches_total": 4, "belfry_published_events_total": 4,
            "belfry_published_bytes_total": 15,
            "belfry_delivered_events_total{form=\"raw\"}": 3,
            "belfry_delivered_events_total{form=\"json\"}": 3,
            "belfry_delivered_events_total{form=\"ndjson\"}": 4,
            "belfry_subscribers{form=\"raw\"}": 0, "belfry_gaps_total": 1,
            "belfry_delivery_lag_seconds_count": 1,
            "belfry_removed_events_total{by=\"delete\"}": 4,
            "belfry_removed_events_total{by=\"retention\"}": 0,
            "belfry_http_problems_total{code=\"PATH_UNKNOWN\"}": 1,
            "belfry_http_connections{state=\"subscribed\"}": 0,
            "belfry_memory_limit_bytes": Double(256 << 20), "belfry_commit_queue_bytes": 0,
        ]
        for (name, value) in expected { #expect(samples[name] == value, "\(name)") }
        // A commit is counted once everybody has been answered.
        try eventually("all commits are counted") {
            try Self.samples(client)["belfry_store_commit_seconds_count"]
                == (store == "memory" ? nil : 5)
        }
        let rising = [
            "belfry_http_requests_total", "belfry_http_loop_turn_seconds_count",
            "process_cpu_seconds_total", "process_start_time_seconds", "process_open_fds",
        ]
        for name in rising { #expect(samples[name] ?? 0 > 0, "\(name)") }
        let resident = try #require(samples["process_resident_memory_bytes"])
        #expect(abs(resident - Double(daemon.residentBytes)) < Double(8 << 20))
        #expect(!(try client.get("/metrics").text.contains("secret")))
    }
}
