internal import Access
internal import Glibc
internal import HTTPFront
internal import Topics

/// What the head of a publish says, whoever sends it, for publishes with another body or topic.
final class KnownPublish: KnownRequest {
    /// What the last of them published, and its caller, who was found to be allowed to.
    private var request: PublishRequest
    private var caller: Caller
    // The loop's handler outlives what it made of requests.
    private unowned let handler: BusHandler

    init(_ request: PublishRequest, by caller: Caller, on handler: BusHandler) {
        self.request = request
        self.request.topic = handler.bus.copy(of: request.topic)
        self.caller = caller
        self.handler = handler
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        do throws(Refusal) {
            try judge(exchange.peer, differences.name)
            try handler.publish(request, differences.body, by: caller, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }

    /// Makes it the publish of this peer to the topic of this name, or to the only one, if they may.
    /// The same caller is not asked twice in a row about one topic: the answer depends on nothing
    /// else while the configuration is the same.
    private func judge(_ peer: Peer, _ name: UnsafeRawBufferPointer) throws(Refusal) {
        let isSameCaller = caller.isSame(as: peer)
        let isSameTopic = name.isEmpty || Self.isSame(request.topic, name)
        if !isSameCaller || !isSameTopic {
            let caller = try handler.caller(peer, caller.token)
            let text = isSameTopic ? request.topic.text : String(decoding: name, as: UTF8.self)
            request.topic = try handler.publishable(text, by: caller)
            request.showsSubscribers = handler.showsSubscribers(of: request.topic, to: caller)
            self.caller = caller
        }
        request.sender = Sender(uid: peer.uid, pid: peer.pid)
    }

    private static func isSame(_ topic: TopicName, _ name: UnsafeRawBufferPointer) -> Bool {
        var text = topic.text
        return text.withUTF8 {
            $0.count == name.count && memcmp($0.baseAddress!, name.baseAddress!, name.count) == 0
        }
    }
}
