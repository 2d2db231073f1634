extension Response {
    /// What every answer carries unless it says otherwise itself.
    private static let common: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"),
        ("Vary", "Accept, Prefer, Last-Event-ID, Origin"),
    ]

    /// Calls `body` with every header field but those of framing (`Date`, `Content-Length`,
    /// `Connection`), in the order in which they are sent: its own, the common ones it did not
    /// set, and those that let a configured Origin read it.
    ///
    /// - Complexity: O(fields).
    public func forEachHeader(
        for crossOrigin: CrossOrigin?, _ body: (_ name: String, _ value: String) -> Void
    ) {
        for (name, value) in headers { body(name, value) }
        for (name, value) in Self.common where !has(name) { body(name, value) }
        guard let crossOrigin else { return }
        body("Access-Control-Allow-Origin", crossOrigin.origin)
        if !crossOrigin.exposedHeaders.isEmpty {
            body("Access-Control-Expose-Headers", crossOrigin.exposedHeaders)
        }
    }
}
