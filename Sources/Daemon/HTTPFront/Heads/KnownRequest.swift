/// Where in a request the one value stands that may differ.
public enum ValuePlace: Sendable {
    /// In the target of a GET, these of its bytes; see `QueryItems.Item.valueRange`.
    case target(Range<Int>)
    /// Behind the target of a GET: the value of a parameter of this name, which the GET itself does
    /// not have. One that does not have it either is known, too.
    case parameter(StaticString)
    /// The value of a header field of a GET, the only one of this name, which is in lower case.
    case header(StaticString)
    /// The Content-Length of a POST, whose body differs too.
    case length
    /// In the target of a POST without a body, these of its bytes: the value of a parameter.
    case word(Range<Int>)
    /// Nowhere, in a GET or a POST without a body: at most its name differs.
    case nowhere
}

/// What differs in a request from the one whose head was parsed; its bytes are valid until
/// `KnownRequest.handle` returns.
public struct RequestDifferences {
    /// 1 to 16 digits; with `ValuePlace.word` what a name may be; empty with `ValuePlace.nowhere`, where
    /// there is no `ValuePlace.parameter`, and with `ValuePlace.length`, where the body says it.
    public let value: UnsafeRawBufferPointer

    /// What stands in place of the name that was offered to differ, which is not looked at further:
    /// letters, digits, `.`, `_` and `-`, no dot in front. Empty where none was offered.
    public let name: UnsafeRawBufferPointer

    /// Empty but with `ValuePlace.length`; no longer than was admitted when the request was parsed.
    public let body: RequestBody
}

/// What a handler has read from a head, for the requests with the same head that follow on any
/// connection of its loop.
///
/// Such a request may come from anybody: what depends on the peer (`Exchange.peer`) is no part of
/// this, and is decided in `handle`. It holds no connection, exchange or socket. Called on its loop's
/// thread, like the handler.
public protocol KnownRequest: AnyObject {
    /// Answers the request with these differences, as `RequestHandler.handle` answers one that has
    /// them: it may `respond` or `detach` before it returns, else the request is answered by
    /// `exchange.reply` later, from any thread.
    func handle(_ differences: RequestDifferences, _ exchange: Exchange)
}
