internal import JSON
internal import Protection
internal import Topics
internal import Wire

/// An answer that was kept whole.
struct WholeAnswer {
    let head: AnswerHead
    let body: [UInt8]

    /// Reads the members of the one object in the body.
    ///
    /// - Throws: `malformedAnswer` if it is no object, or `member` returned false.
    func members(
        _ member: (UnsafeRawBufferPointer, inout JSONReader) -> Bool
    ) throws(ClientError) {
        let isRead = body.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return reader.object(member) && reader.isAtEnd()
        }
        guard isRead else { throw .malformedAnswer(excerpt) }
    }

    /// The refusal that its body describes.
    var refusal: BusRefusal {
        var (code, detail) = ("", String?.none)
        body.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            _ = reader.object { name, reader in
                if name.spells("code") {
                    code = reader.string() ?? ""
                } else if name.spells("detail") {
                    detail = reader.string()
                } else {
                    return reader.value() != nil
                }
                return true
            }
        }
        return BusRefusal(status: head.status, code: code, detail: detail ?? excerpt)
    }

    /// The error that it stands for if another status was expected.
    func failure(of method: Transfer.Method) -> ClientError {
        let refusal = refusal
        return !method.changes || refusal.isCertain
            ? .refused(refusal) : .outcomeUnknown("\(refusal)")
    }

    /// The content type that came with the bytes; nil for `application/octet-stream`, which the bus
    /// names if none was given.
    var contentType: String? {
        let text = head["content-type"]
        return text == "application/octet-stream" ? nil : text
    }

    /// The event whose bytes the body is.
    func event(_ id: EventID, in topic: TopicName) throws(ClientError) -> Event {
        var texts = MetadataTexts()
        for field in WireField.own {
            texts[field] = head["\(WireField.row(field).lowercaseHeader)"]
        }
        texts[.contentType] = contentType
        guard let time = head["event-time"].flatMap({ Timestamp(rfc3339: $0) }),
            let metadata = try? EventMetadata(texts)
        else { throw .malformedAnswer("an event without its time") }
        let expires = head["event-expires"].flatMap { Timestamp(rfc3339: $0) }
        return Event(
            id: id, time: time, topic: topic, payload: Payload(body),
            metadata: metadata.with(try attributes(), expires: expires), sender: .unknown,
            isStored: false)
    }

    /// The attributes in the headers.
    private func attributes() throws(ClientError) -> EventAttributes {
        var list: [EventAttributes.Attribute] = []
        for (name, text) in head.fields(beginningWith: "\(WireAttribute.lowercaseHeader)") {
            var text = text
            guard let value = text.withUTF8({ WireAttribute.value(ofHeader: .init($0)) }) else {
                throw .malformedAnswer("an event with an attribute that is no text")
            }
            list.append(EventAttributes.Attribute(name: name, value: value))
        }
        do throws(AttributeError) {
            return try EventAttributes(kept: list)
        } catch {
            throw .malformedAnswer("an event whose attributes make no sense: \(error)")
        }
    }

    private var excerpt: String {
        body.isEmpty ? "an empty body" : String(decoding: body.prefix(200), as: UTF8.self)
    }
}

/// Keeps an answer until it is whole, for the one task that waits for it.
final class AnswerCollector: TransferReceiver {
    private struct State {
        var head: AnswerHead?
        var body: [UInt8] = []
        var end: TransferEnd?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Protected(State())

    func begin(_ head: AnswerHead) { state.write { $0.head = head } }

    func take(_ bytes: UnsafeRawBufferPointer) -> Intake {
        state.write { state in
            guard state.body.count + bytes.count <= Limits.answerBytesMax else { return .tooMuch }
            state.body.append(contentsOf: bytes)
            return .taken
        }
    }

    func end(_ end: TransferEnd) {
        let waiter = state.write { state in
            state.end = end
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the end. Called once.
    func outcome() async -> Result<WholeAnswer, ClientError> {
        await withCheckedContinuation { continuation in
            let hasEnded = state.write { state in
                if state.end == nil { state.waiter = continuation }
                return state.end != nil
            }
            if hasEnded { continuation.resume() }
        }
        let (head, body, end) = state.write { ($0.head, $0.body, $0.end) }
        switch end {
        case .complete:
            guard let head else { return .failure(.malformedAnswer("it has no head")) }
            return .success(WholeAnswer(head: head, body: body))
        case .broken(let detail, mayHaveArrived: true): return .failure(.outcomeUnknown(detail))
        case .broken(let detail, mayHaveArrived: false): return .failure(.unreachable(detail))
        case .untrusted(let detail): return .failure(.untrusted(detail))
        case .uncertified(let detail): return .failure(.uncertified(detail))
        case .cancelled, nil: return .failure(.cancelled)
        }
    }
}
