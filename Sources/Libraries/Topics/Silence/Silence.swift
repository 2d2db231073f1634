/// The expectation that a topic has an event within a time, and whether it is silent.
///
/// A function of the entries so far and of the times that are handed in: no clock is read here.
package struct Silence: Hashable, Sendable {
    /// The range of the time within which a topic is expected to have an event, in microseconds: from a second to 365
    /// days.
    package static let expectations: ClosedRange<Int64> = 1_000_000...365 * 86_400_000_000

    /// The state of a topic that is expected to have events.
    package enum Phase: Int64, Sendable {
        /// It had one in time, or has time still.
        case heard = 0
        /// It had none, and an event of the bus says so.
        case silent = 1
        /// It had one again, and an event of the bus is to say so.
        case back = 2
    }

    /// The time within which it is expected to have an event, in microseconds.
    package private(set) var expect: Int64
    /// The time of its last event, or the one from which on it is expected to have one.
    package private(set) var heard: Timestamp
    /// The same by the clock that ``due`` is of.
    private var heardNow: Int64
    /// The start of the bus by that clock; long ago where publishers have had the chance to be heard since.
    private var start = Int64.min
    /// The state.
    package private(set) var phase = Phase.heard

    /// When the bus is to say something next, by the clock of `now`; ``never`` for a topic that is silent.
    package var due: Int64 {
        switch phase {
        case .heard:
            max(
                heardNow.advanced(by: expect),
                start.advanced(by: min(expect, Limits.chanceMicroseconds)))
        case .silent: Self.never
        case .back: heardNow
        }
    }

    /// Later than any time.
    package static let never = Int64.max

    /// A topic that is expected to have an event from a time on.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - now: The time by the clock that ``due`` is of: one that nobody sets, or that of an order.
    package init(expect: Int64, from time: Timestamp, now: Int64) {
        self.expect = expect
        heard = time
        heardNow = now
    }

    /// A topic as the store of an order kept it: the time of the order goes on while a host is off.
    package init(expect: Int64, heard: Timestamp, phase: Phase) {
        self.expect = expect
        self.heard = heard
        heardNow = heard.microseconds
        self.phase = phase
    }

    /// The topic at a start of a bus of one host.
    ///
    /// The time that the bus was off counts, but publishers have the chance to be heard first: for five minutes, or
    /// as long as an event is expected within. However the clock was set, no more than that time is left.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the store knows of every event: it does not for a topic that does not persist.
    ///   - time: The time of the start.
    ///   - now: The same by the clock that ``due`` is of.
    package func resumed(isKnown: Bool, at time: Timestamp, now: Int64) -> Silence {
        var resumed = self
        let passed = isKnown ? time.microseconds - heard.microseconds : 0
        resumed.heardNow = now - min(max(passed, 0), Self.expectations.upperBound)
        resumed.start = now
        return resumed
    }

    /// Whether the bus is to say something.
    package func isDue(at now: Int64) -> Bool { due <= now }

    /// The time since which it is silent; nil where it is not.
    package var since: Timestamp? { phase == .silent ? heard : nil }

    /// Another time is expected from now on.
    package mutating func expect(_ expect: Int64) { self.expect = expect }

    /// The topic has an event of a publisher.
    package mutating func hear(at time: Timestamp, now: Int64) {
        (heard, heardNow) = (time, now)
        if phase == .silent { phase = .back }
    }

    /// The event by which the bus says that the topic is silent, or has events again.
    package func announcement(in topic: TopicName) -> PublishBatch {
        let isSilent = phase == .heard
        let text =
            isSilent
            ? "No event since \(heard.rfc3339)." : "Events again since \(heard.rfc3339)."
        return PublishBatch(
            topic: topic, metadata: isSilent ? .silent(since: heard) : .back(since: heard),
            sender: .unknown, payloads: [Payload(Array(text.utf8))])
    }

    /// The announcement is in the log.
    ///
    /// - Parameter metadata: Its fields, which have the time of the last event; nil where that is known.
    package mutating func announced(by metadata: EventMetadata? = nil) {
        let since = metadata?.attributes[EventMetadata.since].flatMap { Timestamp(rfc3339: $0) }
        if let since { heard = since }
        phase = phase == .heard ? .silent : .heard
    }
}

extension Silence? {
    /// The topic has settings: it is expected to have an event within a time, or nil for never. One that was expected
    /// to have events before keeps the time of its last one.
    package mutating func follow(_ expect: Int64?, at time: Timestamp, now: Int64) {
        guard let expect else {
            self = nil
            return
        }
        if self == nil {
            self = Silence(expect: expect, from: time, now: now)
        } else {
            self?.expect(expect)
        }
    }
}

extension Int64 {
    /// Later by a span that is not negative; the end of time where that is beyond it.
    fileprivate func advanced(by span: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(span)
        return isBeyond ? .max : sum
    }
}

extension EventMetadata {
    /// The type of the event that tells of a silence.
    package static let silentType = "$silent"
    /// The type of the event that tells of its end.
    package static let backType = "$back"

    fileprivate static func silent(since time: Timestamp) -> EventMetadata {
        own(silentType, since: time)
    }

    fileprivate static func back(since time: Timestamp) -> EventMetadata {
        own(backType, since: time)
    }

    /// The attribute of both that has the time of the last event.
    fileprivate static let since = "since"

    private static func own(_ type: String, since time: Timestamp) -> EventMetadata {
        do {
            return try EventMetadata(
                type: type,
                attributes: EventAttributes([since: time.rfc3339]))
        } catch {
            preconditionFailure("the bus makes no event of type \(type): \(error)")
        }
    }

    /// Whether an event of the bus tells of a silence, or of its end.
    package var isOfSilence: Bool { type == Self.silentType || type == Self.backType }
}
