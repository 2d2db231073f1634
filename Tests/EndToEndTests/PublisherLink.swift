import Foundation
import TestSupport
import Testing

/// Events of one topic and type that are published by one request, or one after the other.
struct PublisherRequest {
    let topic: String
    let type: String?
    let payloads: [String]
}

/// A connection that is published over.
protocol PublisherLink: AnyObject {
    /// Sends a request; the one before has to be answered.
    func send(_ request: PublisherRequest) throws
    /// What the answer says was published, if it comes in time.
    func answer(to request: PublisherRequest, within seconds: Double) throws -> [Publication]?
}

/// Publishes by POST, several events as lines of one body.
final class HTTPPublisherLink: PublisherLink {
    private let client: RawClient

    init(_ address: RawClient.Address) throws {
        client = try RawClient(address)
    }

    func send(_ request: PublisherRequest) throws {
        let isBatch = request.payloads.count > 1
        try client.send(
            "POST", "/topics/\(request.topic)\(isBatch ? "?split=lines" : "")",
            headers: request.type.map { [("Event-Type", $0)] } ?? [],
            body: Array(request.payloads.joined(separator: "\n").utf8))
    }

    func answer(to request: PublisherRequest, within seconds: Double) throws -> [Publication]? {
        guard client.hasMore(within: seconds) else { return nil }
        let answer = try client.readAnswer(within: 60)
        try #require(answer.status == 201, "\(answer.text)")
        let isBatch = request.payloads.count > 1
        let first = try #require(answer.member(isBatch ? "first" : "id").flatMap { UInt64($0) })
        let last = try #require(answer.member(isBatch ? "last" : "id").flatMap { UInt64($0) })
        try #require(last >= first + UInt64(request.payloads.count - 1), "\(answer.text)")
        return [
            Publication(
                ids: first...last, topic: request.topic, type: request.type,
                payloads: request.payloads)
        ]
    }
}

/// Publishes by text frames over a WebSocket, each answered by a receipt, in order.
final class SocketPublisherLink: PublisherLink {
    private let stream: SocketStream
    private var publications: [Publication] = []

    init(_ address: RawClient.Address) throws {
        let client = try RawClient(address)
        try client.send("GET", "/topics/nobody.publishes.here", headers: WebSocketClient.handshake)
        stream = try SocketStream(client, isRaw: false)
    }

    func send(_ request: PublisherRequest) throws {
        for (index, payload) in request.payloads.enumerated() {
            var members = ["topic": request.topic, "data": payload, "ref": "\(index)"]
            members["type"] = request.type
            let text = try JSONSerialization.data(withJSONObject: members)
            try stream.publish(String(decoding: text, as: UTF8.self))
        }
    }

    func answer(to request: PublisherRequest, within seconds: Double) throws -> [Publication]? {
        let deadline = monotonicSeconds() + seconds
        repeat {
            for case .cursor in try stream.told(within: seconds) {}
            for receipt in stream.takeReceipts() {
                let index = publications.count
                try #require(receipt.ref == "\(index)", "\(receipt)")
                let id = try #require(receipt.id, "\(receipt)")
                publications.append(
                    Publication(
                        ids: id...id, topic: request.topic, type: request.type,
                        payloads: [request.payloads[index]]))
            }
            try #require(stream.ending == nil, "a publisher was closed: \(stream.closeCode ?? 0)")
        } while publications.count < request.payloads.count && monotonicSeconds() < deadline
        guard publications.count == request.payloads.count else { return nil }
        defer { publications = [] }
        return publications
    }
}
