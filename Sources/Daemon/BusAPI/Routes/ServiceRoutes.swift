internal import HTTPFront
internal import Telemetry
internal import Topics

extension BusHandler {
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
                .limitBus, "The bus takes no events now: \(reason)")
        }
    }

    /// `GET /version`: which Belfry this is.
    func version(_ call: borrowing Call) throws(Refusal) {
        var json = JSONWriter()
        json.beginObject()
        json.name("name")
        json.string("belfry")
        json.name("version")
        json.string(configuration.version)
        json.endObject()
        call.respond(json)
    }

    /// `GET /metrics`: how the bus does, for Prometheus. Names no topic, so that everyone may see
    /// it who may see that there is a bus.
    func metrics(_ call: borrowing Call) throws(Refusal) {
        call.respond(
            Response(
                status: 200, headers: [("Content-Type", PrometheusText.mediaType)],
                body: .bytes(service.metrics(version: configuration.version).bytes)))
    }

    /// `GET /openapi.yaml`: all of this for programs, as it is in the repository (RFC 9512). Without
    /// an ETag, because no answer of the bus may be stored.
    func description(_ call: borrowing Call) throws(Refusal) {
        call.respond(
            Response(
                status: 200, headers: [("Content-Type", "application/yaml")],
                body: .bytes(PackageResources.openapi_yaml)))
    }
}

extension Response {
    /// A line of plain text.
    fileprivate static func text(_ text: String) -> Response {
        Response(
            status: 200, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Array(text.utf8)))
    }
}
