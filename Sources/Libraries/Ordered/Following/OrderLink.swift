package import Topics

/// How a host stands with its order, as a machine without clock, thread and I/O: which order answers,
/// since when it does not, how far the host is behind it, and the questions about it.
///
/// The order is looked at once a while, after each trouble, and for every question. Nothing is read or
/// appended before that look was good.
package struct OrderLink {
    /// A moment of this host.
    package struct Moment: Hashable, Sendable {
        /// Microseconds of a clock that nobody sets.
        package let passed: Int64
        /// The clock of the host.
        package let time: Timestamp

        /// A moment as given.
        package init(passed: Int64, time: Timestamp) {
            self.passed = passed
            self.time = time
        }
    }

    private let life: OrderLife
    private var current: OrderTrouble? = OrderTrouble("the order was not reached yet")
    /// Since when nothing of the order is known.
    private var awaySince: Int64?
    /// Before this no other look begins, unless there is a question.
    private var nextLook: Int64 = .min
    /// When the look that is under way began, and the place of the host then.
    private var look: (began: Int64, place: OrderPlace)?
    private var questionCount = 0
    /// Questions how far the order is, by their numbers: those that the next look is for, those of
    /// the look that is under way, and those that wait until this host is at a place.
    private var unasked: [Int] = []
    private var asked: [Int] = []
    private var answered: [(through: Int64, questions: [Int])] = []
    /// Since when the clocks of host and order are too far apart; nil while they are not.
    private var clockOffSince: Int64?
    /// The last append of the order, as of the last look, and since when this host lacks it.
    private var goal: Int64 = 0
    private var behindSince: Int64?

    /// A link to an order of this life.
    package init(to life: OrderLife) { self.life = life }

    /// Whether appends may be read.
    package var isUp: Bool { current == nil }
    /// Why no append can be made.
    package var trouble: String {
        current?.detail ?? clockRefusal ?? "the order does not answer"
    }
    /// Whether appends may be made.
    package var takesAppends: Bool { isUp && clockOffSince == nil }

    // MARK: Looks

    /// Whether to look at the order now; the look is under way then.
    package mutating func beginLook(at place: OrderPlace, _ now: Moment) -> Bool {
        if !isUp { awaySince = awaySince ?? now.passed }
        guard look == nil else { return false }
        guard isUp && !unasked.isEmpty || now.passed >= nextLook else { return false }
        look = (now.passed, place)
        (asked, unasked) = (unasked, [])
        return true
    }

    /// Takes in the outcome of a look, for a host that is at `place`. Returns the standing where the
    /// host may follow.
    package mutating func looked(
        _ found: Result<OrderStanding, OrderTrouble>, at place: OrderPlace, _ now: Moment
    ) -> OrderStanding? {
        let began = look?.place ?? place
        look = nil
        let standing: OrderStanding
        do throws(OrderTrouble) {
            standing = try found.get()
            try check(standing, began)
        } catch {
            fail(error, now, retryingAfter: Limits.lookRetryMicroseconds)
            return nil
        }
        (current, awaySince) = (nil, nil)
        let difference = standing.time.microseconds.subtractingReportingOverflow(
            now.time.microseconds)
        let isOff =
            difference.overflow
            || difference.partialValue.magnitude > Limits.clockLeadMicroseconds.magnitude
        clockOffSince = isOff ? clockOffSince ?? now.passed : nil
        let isPressing = isOff || place.sequence < standing.high
        nextLook =
            now.passed + (isPressing ? Limits.lookRetryMicroseconds : Limits.lookMicroseconds)
        if !asked.isEmpty { answered.append((standing.high, asked)) }
        asked = []
        goal = standing.high
        follow(place, now)
        return standing
    }

    private func check(
        _ standing: OrderStanding, _ place: OrderPlace
    ) throws(OrderTrouble) {
        guard standing.life == life else {
            throw OrderTrouble("the order there is another one than that of this host")
        }
        guard standing.line >= place.line else {
            throw OrderTrouble("a server answers that does not lead the order any more")
        }
        guard standing.high >= place.sequence else {
            throw OrderTrouble(
                "the order ends at append \(standing.high), and this host has applied "
                    + "\(place.sequence): the order was set back")
        }
        if let chain = standing.chain, chain != place.chain {
            throw OrderTrouble(
                "append \(place.sequence) of the order is another one than this host has applied: "
                    + "the order was set back")
        }
    }

    /// An append or a read had no answer.
    package mutating func failed(_ error: OrderTrouble, _ now: Moment) {
        fail(error, now, retryingAfter: Limits.reconnectMicroseconds)
    }

    private mutating func fail(
        _ error: OrderTrouble, _ now: Moment, retryingAfter span: Int64
    ) {
        current = error
        awaySince = awaySince ?? now.passed
        nextLook = now.passed + span
        (unasked, asked) = (asked + unasked, [])
    }

    /// Since when no append can be made; nil while one can. A look without an end counts from its
    /// beginning.
    package func blockedSince(_ now: Moment) -> Int64? {
        let hanging = look.flatMap { look in
            now.passed - look.began >= Limits.lookMicroseconds ? look.began : nil
        }
        return [awaySince, clockOffSince, hanging].compactMap { $0 }.min()
    }

    // MARK: The way to the end

    /// Notes that the host is at `place` by now.
    package mutating func follow(_ place: OrderPlace, _ now: Moment) {
        behindSince = place.sequence < goal ? behindSince ?? now.passed : nil
    }

    /// Why this host makes no append although the order answers; nil where it does.
    package var clockRefusal: String? {
        clockOffSince == nil
            ? nil
            : "the clock of this host is more than "
                + "\(Limits.clockLeadMicroseconds / 1_000_000) s from that of the order: set it"
    }

    /// Why a host at `place` is not ready although the order answers; nil where it is.
    package func refusal(at place: OrderPlace, _ now: Moment) -> String? {
        if let clockRefusal { return clockRefusal }
        if let behindSince, now.passed - behindSince >= Limits.behindMicroseconds {
            return "catching up: \(goal - place.sequence) left"
        }
        return nil
    }

    // MARK: Questions

    /// Asks how far the order is. The question is answered once this host has all that the order had
    /// when it was asked, or later. Returns its number.
    package mutating func ask() -> Int {
        questionCount += 1
        unasked.append(questionCount)
        return questionCount
    }

    /// Takes back the questions whose numbers are in the set.
    package mutating func forget(_ numbers: Set<Int>) {
        unasked.removeAll { numbers.contains($0) }
        asked.removeAll { numbers.contains($0) }
        for index in answered.indices {
            answered[index].questions.removeAll { numbers.contains($0) }
        }
    }

    /// The questions that a host at `place` can answer; they are over.
    ///
    /// - Complexity: O(1) where there are none.
    package mutating func takeAnswered(at place: OrderPlace) -> [Int] {
        var taken: [Int] = []
        while let first = answered.first, first.through <= place.sequence {
            taken += answered.removeFirst().questions
        }
        return taken
    }
}
