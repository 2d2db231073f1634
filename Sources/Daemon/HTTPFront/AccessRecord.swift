internal import Telemetry

/// One request that has ended, as an access log has it.
public struct AccessRecord: Sendable {
    /// The method as it was sent.
    public let method: String
    /// The target as it was sent, without its query.
    public let path: String
    /// The peer that made the request.
    public let peer: Peer
    /// The status it was answered by; nil where the connection ended without an answer.
    public internal(set) var status: Int?
    /// The code of the problem that it was answered by.
    public internal(set) var problemCode: String?
    /// The form of the answer, as the handler named it; nil if it named none.
    public internal(set) var form: String?
    /// Bytes of its body, chunk framing included, and all bytes that came over its WebSocket.
    public internal(set) var bytesIn = 0
    /// Bytes of the answer's body, as far as it was written.
    public internal(set) var bytesOut = 0
    /// Microseconds from the end of its headers to the end of its answer.
    public internal(set) var microseconds = 0
}

/// Takes the records of requests that have ended.
public protocol AccessSink: AnyObject, Sendable {
    /// A request has ended. Called on its loop's thread, which must not wait.
    func ended(_ record: AccessRecord)
}

/// The notes for the access log about a request while it is served. Without an access sink there
/// are none.
///
/// Confined to its loop's thread.
final class AccessTrace {
    var record: AccessRecord
    let began = MonotonicClock.microseconds()
    private let sink: any AccessSink

    /// Begins to note a request whose headers are there.
    init(
        method: some Collection<UInt8>, target: some Collection<UInt8>, peer: Peer,
        for sink: any AccessSink
    ) {
        record = AccessRecord(
            method: String(decoding: method, as: UTF8.self),
            path: String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self),
            peer: peer)
        self.sink = sink
    }

    /// Notes the answer, of which the body is counted as it is written.
    func note(_ response: Response) {
        record.status = response.status
        record.problemCode = response.problemCode
    }

    /// Notes an answer that is given in one piece.
    func noteWhole(_ response: Response, for context: ResponseContext) {
        note(response)
        if ResponseEncoder.sendsBody(response, for: context) {
            record.bytesOut = response.body.count
        }
    }

    func end() {
        record.microseconds = MonotonicClock.microseconds() - began
        sink.ended(record)
    }
}
