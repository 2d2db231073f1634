import TestSupport
import Testing

@testable import Topics

/// Held events, beside a list that is looked through from its beginning.
@Suite struct LaterTableTests {
    private static func head(
        _ ticket: UInt64, _ topic: String = "a", due: Int64, until: Int64? = nil, user: UInt32? = 1
    ) throws -> HeldHead {
        HeldHead(
            ticket: EventID(rawValue: ticket), topic: try TopicName(topic), metadata: .none,
            sender: Sender(uid: user, pid: nil), count: 1, bytes: 1, ttl: nil,
            due: Timestamp(microseconds: due), span: until == nil ? nil : 1, until: until)
    }

    private static func moment(_ time: Int64, _ now: Int64? = nil) -> LaterTable.Moment {
        LaterTable.Moment(time: Timestamp(microseconds: time), now: now)
    }

    /// All that is held, and how others ended, with the state to which a rollback goes.
    private struct Model {
        struct State {
            var heads: [HeldHead] = []
            var endings: [EventID: LaterTable.Ending] = [:]
        }

        var state = State()
        var committed = State()

        func next(at moment: LaterTable.Moment) -> EventID? {
            let timed = state.heads.filter { $0.until == nil && $0.due <= moment.time }
                .min { ($0.due, $0.ticket) < ($1.due, $1.ticket) }
            // Spans by the clock by which they end.
            let spanned = state.heads.filter { $0.until.map { $0 <= moment.now ?? .min } == true }
                .min { ($0.until!, $0.ticket) < ($1.until!, $1.ticket) }
            return [timed, spanned].compactMap { $0 }
                .min { ($0.due, $0.ticket) < ($1.due, $1.ticket) }?.ticket
        }

        mutating func drop(_ ticket: EventID) {
            state.heads.removeAll { $0.ticket == ticket }
            state.endings[ticket] = nil
        }

        mutating func end(_ ticket: EventID, _ outcome: LaterTable.Outcome, at time: Timestamp) {
            guard let index = state.heads.firstIndex(where: { $0.ticket == ticket }) else { return }
            let topic = state.heads.remove(at: index).topic
            state.endings[ticket] = LaterTable.Ending(topic: topic, outcome: outcome, time: time)
        }
    }

    @Test(arguments: 0..<40) func aTableDecidesAsTheListDoes(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        var (table, model) = (LaterTable(countMax: 40), Model())
        var ticket: UInt64 = 0
        for step in 0..<600 {
            let time = Timestamp(microseconds: Int64(step))
            switch draw(10) {
            case 0..<4:
                ticket += 1
                let user = [1, 2, nil][draw(3)] as UInt32?
                let until: Int64? = draw(2) == 0 ? nil : Int64(draw(900))
                let head = try Self.head(
                    ticket, "t\(draw(3))", due: Int64(draw(900)), until: until, user: user)
                let own = model.state.heads.count { $0.sender.uid == user }
                let full: BusError? =
                    own >= 30
                    ? .laterFull(isOfUser: true)
                    : model.state.heads.count >= 40 ? .laterFull(isOfUser: false) : nil
                let batch = PublishBatch(
                    topic: head.topic, sender: head.sender, payloads: [.empty])
                let held = HeldBatch(batch, ttl: nil, at: .after(microseconds: 1))
                var refusal: BusError?
                if case .refused(let error) = table.answer(to: held) { refusal = error }
                #expect(refusal == full)
                guard full == nil else { break }
                table.hold(head)
                model.state.heads.append(head)
            case 4, 5:
                let id = EventID(rawValue: UInt64(draw(Int(ticket) + 1)))
                let outcome: LaterTable.Outcome =
                    draw(2) == 0 ? .cancelled : .published(EventID(rawValue: 10_000 + id.rawValue))
                table.end(id, outcome, at: time)
                model.end(id, outcome, at: time)
            case 6:
                let topic = try TopicName("t\(draw(3))")
                let most = draw(2) == 0 ? 3 : Int.max
                let dropped = table.drop(topic, atMost: most).map(\.ticket)
                let all = model.state.heads.filter { $0.topic == topic }.map(\.ticket)
                #expect(dropped == all.sorted().suffix(most).reversed())
                for ticket in dropped { model.drop(ticket) }
            case 7:
                table.committed()
                model.committed = model.state
            case 8:
                table.rolledBack()
                model.state = model.committed
            default: break
            }
            let moment = Self.moment(Int64(draw(900)), draw(3) == 0 ? nil : Int64(draw(900)))
            #expect(table.next(at: moment)?.ticket == model.next(at: moment))
            #expect(table.count == model.state.heads.count)
            let known = EventID(rawValue: UInt64(draw(Int(ticket) + 1)))
            #expect(table.ending(of: known) == model.state.endings[known])
            for topic in 0..<3 {
                let name = try TopicName("t\(topic)")
                let own = model.state.heads.filter { $0.topic == name }.map(\.ticket)
                #expect(table.tickets(of: name) == own.sorted())
            }
        }
    }

    @Test func endingsAreForgottenWhenTheyAreADayOld() throws {
        var table = LaterTable()
        for ticket in 1...100 as ClosedRange<UInt64> {
            table.hold(try Self.head(ticket, due: 5))
            let time = Timestamp(microseconds: Int64(ticket))
            table.end(EventID(rawValue: ticket), .cancelled, at: time)
        }
        let day: Int64 = 86_400_000_000
        #expect(table.forgetEndings(at: Timestamp(microseconds: day)).isEmpty)
        #expect(table.forgetEndings(at: Timestamp(microseconds: day + 1)).count == 1)
        #expect(table.ending(of: EventID(rawValue: 1)) == nil)
        #expect(table.ending(of: EventID(rawValue: 2)) != nil)
        // A bounded number at a time.
        #expect(table.forgetEndings(at: Timestamp(microseconds: 2 * day)).count == 64)
        #expect(table.forgetEndings(at: Timestamp(microseconds: 2 * day)).count == 35)
    }

    @Test func whatIsCancelledTakesNoMemoryForLong() throws {
        var table = LaterTable()
        for ticket in 1...20_000 as ClosedRange<UInt64> {
            table.hold(try Self.head(ticket, due: 1_000_000, until: ticket % 2 == 0 ? 5 : nil))
            table.end(EventID(rawValue: ticket), .cancelled, at: Timestamp(microseconds: 0))
        }
        #expect(table.count == 0 && table.entryCount <= 1_100)
    }
}
