internal import HTTPFront
internal import JSON
internal import Topics

/// The answers of a WebSocket to its client's messages: one for each whose outcome is known, in the
/// order of the messages.
///
/// `{"ref","id"}` says that the event is in the log. A problem, `{"ref","status","title","code",
/// "detail"}`, says that it is not and never will be. `ref` is there if the message had one. Each kind
/// of frame has members that no other has: events `topic`, control messages `cursor` and `gap`,
/// problems `code`.
struct PublishAcknowledgements {
    /// The outcome of a message.
    typealias Outcome = Result<EventID, Refusal>

    private struct Place {
        let ref: MessageRef?
        let bytes: Int
        var outcome: Outcome?
    }

    private var places: [Place] = []
    private var first = 0
    private var bytes = 0

    /// Whether every message has its answer, and all of them were taken.
    var isEmpty: Bool { places.isEmpty }

    /// Whether the client has as many messages under way as it may; no more are to be read.
    var isFull: Bool {
        places.count >= Limits.publishesMax || bytes >= Limits.publishesBytesMax
    }

    /// Counts a message of so many payload bytes, and returns its number.
    mutating func await(_ ref: MessageRef?, bytes: Int) -> Int {
        places.append(Place(ref: ref, bytes: bytes, outcome: nil))
        self.bytes += bytes
        return first + places.count - 1
    }

    /// Notes the outcome of a message, once.
    mutating func settle(_ number: Int, _ outcome: Outcome) {
        assert(places[number - first].outcome == nil, "message \(number) is settled once")
        places[number - first].outcome = outcome
    }

    /// The answers, as frames, up to the first message whose outcome is not known yet.
    ///
    /// - Complexity: O(messages under way).
    mutating func take() -> [UInt8] {
        var frames: [UInt8] = []
        var count = 0
        while count < places.count, let outcome = places[count].outcome {
            if !outcome.isWithheld {
                frames += WebSocketFrame.text(Self.json(outcome, places[count].ref))
            }
            bytes -= places[count].bytes
            count += 1
        }
        places.removeFirst(count)
        first += count
        return frames
    }

    private static func json(_ outcome: Outcome, _ ref: MessageRef?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        if let ref {
            json.name("ref")
            ref.json.withUnsafeBytes { json.encoded($0) }
        }
        switch outcome {
        case .success(let id):
            json.member("id", id)
        case .failure(let refusal):
            let problem = refusal.problem
            json.member("status", problem.status)
            json.member("title", problem.title)
            json.member("code", problem.code)
            json.member("detail", problem.detail)
        }
        json.endObject()
        return json.taken()
    }
}

extension PublishAcknowledgements.Outcome {
    fileprivate var isWithheld: Bool {
        if case .failure(let refusal) = self { refusal.isWithheld } else { false }
    }
}
