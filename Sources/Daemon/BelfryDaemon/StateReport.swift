internal import BusAPI
internal import HTTPFront
internal import Telemetry
internal import Topics

/// The state of a daemon, line by line, for the log of somebody who looks into a problem.
struct StateReport {
    let bus: EventBus
    let service: BusService
    let server: HTTPServer
    let memory: MemoryBudget
    let configuration: Configuration
    let store: String

    var lines: [String] {
        let statistics = bus.statistics
        let (topics, newest) = bus.topics(matching: nil)
        let census = server.census
        var lines = [
            """
            \(statistics.topics) of \(configuration.limits.topicsMax) topics, \
            \(statistics.retained) events, newest id \(newest), \(statistics.tombstones) \
            tombstones; published \(statistics.published)
            """
        ]
        for topic in topics.sorted(by: { $0.bytes > $1.bytes }).prefix(Limits.reportedMax) {
            lines.append(
                """
                topic \(topic.name): \(topic.events) events, \(topic.bytes) bytes, \
                \(topic.subscribers) subscribers
                """)
        }
        lines.append(
            """
            \(service.waitingCount) of \(configuration.poll.subscribersMax) subscribers: \
            \(service.subscribersInWords)
            """)
        lines.append(
            """
            \(census.connections) of \(configuration.http.connectionsMax) connections, \
            \(census.parked) subscribed, \(census.pending) wait for the store
            """)
        for (account, connections) in server.callers.prefix(Limits.reportedMax) {
            lines.append(
                """
                \(account.uid.map { "user \($0)" } ?? "unknown callers"): \(connections) \
                connections, \(account.subscribers.value) subscribers, \
                \(account.queuedBytes.value) bytes wait for the store
                """)
        }
        lines.append("store \(store) \(readiness), \(statistics.pendingBytes) bytes wait")
        let uses = MemoryBudget.Use.allCases.map { "\($0)=\(memory.used($0))" }
        lines.append(
            "memory \(memory.used) of \(memory.bytesMax) bytes: \(uses.joined(separator: " "))")
        for (index, meters) in server.loops.enumerated() {
            lines.append(
                """
                loop \(index): \(meters.turns.counts.reduce(0, +)) turns, the last began \
                \(meters.idleMilliseconds) ms ago, \(meters.requests.value) requests
                """)
        }
        return lines
    }

    private var readiness: String {
        switch bus.readiness {
        case .ready: "takes events"
        case .refusing(let reason): "refuses: \(reason)"
        }
    }
}
