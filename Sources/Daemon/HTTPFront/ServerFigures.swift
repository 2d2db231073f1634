public import Telemetry

extension HTTPServer {
    /// Writes the figures of all loops, taken together.
    public func write(to page: inout PrometheusText) {
        let loops = loops
        func sum(_ part: (LoopMeters) -> Counter) -> Int { loops.reduce(0) { $0 + part($1).value } }
        func sum(_ part: (LoopMeters) -> Gauge) -> Int { loops.reduce(0) { $0 + part($1).value } }
        page.gauge("belfry_http_loops", "Event loops.", loops.count)
        page.histogram(
            "belfry_http_loop_turn_seconds",
            "Duration of the loops' turns; other clients wait meanwhile.",
            loops.map(\.turns))
        page.counter(
            "belfry_turns_cut_short_total",
            "Turns of the loops that left work to the next because they had lasted long.",
            sum(\.turnsCutShort))
        page.family(
            "belfry_http_connections", .gauge, "Open connections, by what they are doing.")
        let (parked, pending) = (sum(\.parked), sum(\.pending))
        page.sample(parked, ["state": "subscribed"])
        page.sample(pending, ["state": "committing"])
        page.sample(max(0, sum(\.connections) - parked - pending), ["state": "other"])
        page.counter(
            "belfry_http_accepted_connections_total", "Connections accepted.", sum(\.accepted))
        page.counter(
            "belfry_http_refused_connections_total",
            "Connections refused because there were too many.", sum(\.turnedAway))
        page.counter(
            "belfry_http_accept_pauses_total",
            "Pauses of accepting for lack of descriptors or memory.", sum(\.acceptPauses))
        page.family(
            "belfry_http_closed_connections_total", .counter,
            "Connections closed by the bus, by reason.")
        page.sample(sum(\.timeouts), ["by": "timeout"])
        page.sample(sum(\.gone), ["by": "peer_gone"])
        page.sample(sum(\.shed), ["by": "memory"])
        page.counter(
            "belfry_http_requests_total", "Requests whose line and headers came whole.",
            sum(\.requests))
        page.counter(
            "belfry_http_repeated_requests_total",
            "Requests among them whose head was known, and which were not parsed.",
            sum(\.repeats))
        page.counter("belfry_http_answers_total", "Answers that left.", sum(\.answers))
        page.counters(
            "belfry_http_problems_total", "Answers that tell a problem, by its code.", by: "code",
            loops.map(\.problems))
    }
}
