internal import HTTPFront
internal import JSON
internal import Telemetry
internal import Topics
internal import Wire

/// The routes about the service itself, for people and programs that watch it.
struct ServiceRoutes: Routes {
    let loop: BusLoop

    /// `GET /healthz`: this process answers.
    func health(_ call: borrowing Call) throws(Refusal) {
        call.respond(.text("ok\n"))
    }

    /// `GET /readyz`: it would take an event now.
    func readiness(_ call: borrowing Call) throws(Refusal) {
        switch bus.readiness {
        case .ready: call.respond(.text("ready\n"))
        case .refusing(let reason):
            throw Refusal(
                .limitBus,
                call.head.isForUs
                    ? "The bus takes no events now: \(reason)" : "The bus takes no events now.")
        }
    }

    /// `GET /version`: which Belfry this is.
    func version(_ call: borrowing Call) throws(Refusal) {
        var json = JSONWriter()
        json.beginObject()
        json.member("name", "belfry")
        json.member("version", configuration.version)
        json.endObject()
        call.respond(json)
    }

    /// `GET /metrics`: the figures of the bus, for Prometheus. They name no topic but those that
    /// the configuration shows, so that any client that may see the bus at all may see them.
    func metrics(_ call: borrowing Call) throws(Refusal) {
        guard call.head.isForUs else { return call.respond(.metrics(strangersMetrics())) }
        let (service, version) = (service, configuration.version)
        guard let selector = configuration.metricsTopics else {
            return call.respond(.metrics(service.metrics(version: version)))
        }
        let sample = bus.sample(of: selector, atMost: Limits.metricsTopicsMax)
        TopicRoutes(loop: loop).look(at: sample, looksPerTopic: selector.looksPerTopic, call) {
            sample in
            var page = service.metrics(version: version)
            sample.gathered.write(to: &page)
            return .metrics(page)
        }
    }

    /// The answer to a request for figures whose Host is not one of the bus's names. A page of a
    /// foreign name that was made to point here could have sent it.
    private func strangersMetrics() -> PrometheusText {
        var page = PrometheusText()
        page.gauge(
            "belfry_host_unknown",
            "The Host of the request is not ours: add it to http.hosts in belfryd.conf for figures.",
            1)
        return page
    }

    /// `GET /openapi.yaml`: the description of the interface for programs, as it is in the
    /// repository (RFC 9512). It has no ETag, because no answer of the bus may be stored.
    func description(_ call: borrowing Call) throws(Refusal) {
        call.respond(
            Response(
                status: 200, headers: [("Content-Type", "application/yaml")],
                body: .bytes(service.description)))
    }

    /// A text about the bus, with commands to try.
    func greeting(_ call: borrowing Call) throws(Refusal) {
        let bus = Self.curlAddress(call.exchange.peer, call.head)
        call.respond(
            .text(
                """
                Belfry \(configuration.version), an event bus for the processes of one machine. Try it:
                publish    curl -d 'v1.2 is live' \(bus)/topics/deploys
                wait       curl \(bus)/topics/deploys
                look       curl \(bus)/topics
                read on    curl \(bus)/openapi.yaml, or man belfryd

                """))
    }

    /// The arguments by which `curl` reaches the bus in the same way as the caller did. The host is
    /// one of the bus's names, as the front let it in.
    private static func curlAddress(_ peer: Peer, _ head: RequestHead) -> String {
        let prefix = head.target.prefix.text
        guard case .tcp = peer.transport, let host = head.host else {
            return "--unix-socket SOCKET localhost\(prefix)"
        }
        return "\(host)\(prefix)"
    }
}

extension Response {
    fileprivate static func metrics(_ page: PrometheusText) -> Response {
        Response(
            status: 200, headers: [("Content-Type", PrometheusText.mediaType)],
            body: .bytes(page.bytes))
    }

    /// Plain text, with its line ends.
    fileprivate static func text(_ text: String) -> Response {
        Response(
            status: 200, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Array(text.utf8)))
    }
}
