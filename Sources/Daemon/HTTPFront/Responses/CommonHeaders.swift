extension Response {
    /// Calls `body` with all headers but those of framing, in the order in which they are sent: its
    /// own, the common ones, and those that let a configured Origin read it.
    func forEachHeaders(for crossOrigin: CrossOrigin?, _ body: (HeaderLines) -> Void) {
        body(headers)
        body(isRevalidated ? .revalidated : .common)
        if let crossOrigin { body(HeaderLines(for: crossOrigin, answering: headers)) }
    }
}

extension HeaderLines {
    /// The fields of every answer beside its own and those of framing (`Date`, `Content-Length`,
    /// `Connection`).
    fileprivate static let common: HeaderLines = [
        ("Cache-Control", "no-store"),
        ("Vary", "Accept, Prefer, Last-Event-ID, Origin"),
    ]

    /// The same fields of an answer that a browser may keep, and has to ask for again.
    fileprivate static let revalidated: HeaderLines = [
        ("Cache-Control", "no-cache"),
        ("Vary", "Accept, Origin"),
    ]

    /// The fields that let the page of a configured Origin read an answer.
    fileprivate init(for crossOrigin: CrossOrigin, answering headers: HeaderLines) {
        add("Access-Control-Allow-Origin", crossOrigin.origin)
        if !crossOrigin.exposed.names.isEmpty {
            add("Access-Control-Expose-Headers", crossOrigin.exposed.names)
        }
        guard let prefix = crossOrigin.exposed.prefix else { return }
        let names = headers.names(beginningWith: prefix)
        if !names.isEmpty { add("Access-Control-Expose-Headers", names) }
    }
}
