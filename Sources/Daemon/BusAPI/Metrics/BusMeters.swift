internal import Telemetry

/// The figures of one loop about readers and WebSockets. The loop counts them, and any thread may
/// read them.
///
/// One for each loop, so that no two loops count in the same memory.
final class BusMeters: Sendable {
    /// Times that a reader was told a gap.
    let gaps = Counter()
    /// Messages of WebSockets that were not published, by the code of their problem.
    let refusals = CounterTable()
    /// Age of events when they were written to readers that waited for them, in microseconds; of
    /// several events, the age of the oldest.
    let lags = Histogram()

    private let events = DeliveryForm.allCases.map { _ in Counter() }
    private let subscribers = DeliveryForm.allCases.map { _ in Gauge() }

    /// Subscriptions of one form at this moment.
    func subscribers(in form: DeliveryForm) -> Gauge { subscribers[form.index] }

    /// Counts events that were written.
    ///
    /// - Parameter lag: How old the first of them was, in microseconds; nil for events of the past
    ///   that a reader asked for, whose age says nothing about the bus.
    func countDelivery(of count: Int, in form: DeliveryForm, lag: Int?) {
        events[form.index].add(count)
        if let lag { lags.observe(lag) }
    }

    /// Writes the figures of all loops, taken together.
    static func write(_ loops: [BusMeters], to page: inout PrometheusText) {
        func sum(_ part: (BusMeters) -> Int) -> Int { loops.reduce(0) { $0 + part($1) } }
        page.family(
            "belfry_delivered_events_total", .counter, "Events written to readers, by form.")
        for form in DeliveryForm.allCases {
            page.sample(sum { $0.events[form.index].value }, ["form": form.rawValue])
        }
        page.family(
            "belfry_subscribers", .gauge, "Waiting requests and open streams, by form.")
        for form in DeliveryForm.allCases {
            page.sample(sum { $0.subscribers(in: form).value }, ["form": form.rawValue])
        }
        page.counter("belfry_gaps_total", "Gaps told to readers over HTTP.", sum { $0.gaps.value })
        page.histogram(
            "belfry_delivery_lag_seconds",
            "Age of events when they were written to readers that waited for them.",
            loops.map(\.lags))
        page.counters(
            "belfry_websocket_refusals_total",
            "Messages of WebSockets that were not published, by the code of the problem.",
            by: "code", loops.map(\.refusals))
    }
}
