internal import HTTPFront

/// One request on its way through a route: what was asked, and where the answer goes.
struct Call: ~Copyable {
    let request: Request
    let resource: Resource
    let parameters: Parameters
    let exchange: Exchange

    var head: RequestHead { request.head }

    func respond(_ response: Response) { exchange.respond(response) }

    /// Answers with a JSON body.
    func respond(
        status: Int = 200, _ json: consuming JSONWriter,
        _ headers: [(name: String, value: String)] = []
    ) {
        exchange.respond(.json(status: status, json, headers))
    }
}

extension Response {
    /// An answer with a JSON body, which ends in a line feed.
    static func json(
        status: Int = 200, _ json: consuming JSONWriter,
        _ headers: [(name: String, value: String)] = []
    ) -> Response {
        Response(
            status: status, headers: [("Content-Type", "application/json")] + headers,
            body: .bytes(json.finished()))
    }
}
