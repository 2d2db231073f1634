internal import Access
internal import HTTPFront
internal import JSON
internal import Topics

/// One request on its way through a route, together with the way of its answer.
struct Call: ~Copyable {
    let request: Request
    let resource: Resource
    let parameters: Parameters
    let exchange: Exchange
    /// The caller that sent it; unknown if the resource does not need one.
    let caller: Caller

    var head: RequestHead { request.head }

    /// The sender of an event that this request publishes.
    var sender: Sender { Sender(uid: exchange.uid, pid: exchange.pid) }

    /// Refuses a body of a request that takes none.
    func refuseBody() throws(Refusal) {
        guard request.body.count == 0 else {
            throw Refusal(.bodyNotExpected, "This request takes no body; send it without.")
        }
    }

    func respond(_ response: Response) { exchange.respond(response) }

    /// Answers with a JSON body.
    func respond(
        status: Int = 200, _ json: consuming JSONWriter,
        _ headers: HeaderLines = []
    ) {
        exchange.respond(.json(status: status, json, headers))
    }
}

extension Response {
    /// An answer with a JSON body, which ends in a line feed.
    static func json(
        status: Int = 200, _ json: consuming JSONWriter,
        _ headers: HeaderLines = []
    ) -> Response {
        var fields: HeaderLines = [("Content-Type", "application/json")]
        fields.add(contentsOf: headers)
        return Response(status: status, headers: fields, body: .bytes(json.finished()))
    }
}
