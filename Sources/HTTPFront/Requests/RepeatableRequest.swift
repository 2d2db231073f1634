/// Where in a request the one value stands with which alone it comes again.
public enum ValuePlace: Sendable {
    /// In the target of a GET, these of its bytes; see `QueryItems.Item.valueRange`.
    case target(Range<Int>)
    /// The value of a header field of a GET, the only one of this name, which is in lower case.
    case header(StaticString)
    /// The Content-Length of a POST, whose body differs too.
    case length
}

/// What a handler has made of a request, and can use again when the same bytes come again on the
/// same connection with another number in one place.
///
/// Called on its loop's thread, like the handler.
public protocol RepeatableRequest: AnyObject {
    /// Where that number stands; nil where there is none.
    var valuePlace: ValuePlace? { get }

    /// Whether what was made of the request still holds: false once a configuration that it was
    /// read by has changed.
    var isCurrent: Bool { get }

    /// Answers the request with another value, as `RequestHandler.handle` answers one with that
    /// value in it: it may `respond` or `detach` before it returns, else the request is answered by
    /// `exchange.reply` later, from any thread.
    ///
    /// - Parameters:
    ///   - value: 1 to 16 digits; empty with `ValuePlace.length`, where the body says it.
    ///   - body: Empty but with `ValuePlace.length`; valid until it returns, and no longer than was
    ///     admitted when the request was parsed.
    func handle(value: String, body: RequestBody, _ exchange: Exchange)
}
