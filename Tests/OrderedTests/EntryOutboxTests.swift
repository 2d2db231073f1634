import TestSupport
import Testing
import Topics

@testable import Ordered

@Suite struct EntryOutboxTests {
    private static let issuer = GroupForm.Issuer(
        host: "a", time: Timestamp(microseconds: 0), sequence: 0, chain: 0)

    private static func event(_ text: String, bytes: Int = 0, of user: UInt32?) throws
        -> OrderedEntry
    {
        let payload = Payload(Array(text.utf8) + [UInt8](repeating: 0x20, count: bytes))
        return .publish(
            PublishBatch(
                topic: try TopicName("a"), sender: Sender(uid: user, pid: nil), payloads: [payload]),
            ttl: nil, owner: user)
    }

    private static func made(_ append: EntryOutbox.Append?) throws -> EntryOutbox.Append {
        try #require(append)
    }

    /// The texts of the entries of a group.
    private static func texts(_ bytes: [UInt8]) throws -> [String] {
        let form = try GroupForm(bytes)
        guard case .entries(let entries, _) = form.content else { return ["a part"] }
        return entries.map { entry in
            guard case .publish(let batch, _, _) = entry else { return "another entry" }
            return String(batch.payloads[0].text.prefix { $0 != " " })
        }
    }

    /// An order that takes appends, refuses them, or gives no answer, and the host that asks it.
    private struct Run {
        var random: SeededRandom
        var outbox = EntryOutbox(rules: 1, bytesMax: 4 << 20)
        /// The appends in the order, and how many of them the host has applied.
        var order: [EntryOutbox.Append] = []
        var appliedCount = 0
        /// The append whose outcome is not known yet.
        var doubt: EntryOutbox.Append?
        var waiting: [EntryOutbox.Ticket: String] = [:]
        var asked: [UInt32: [String]] = [:]
        var failed: Set<String> = []
        var answered: [String] = []
        var tokens: UInt128 = 0
        var largest = 0

        init(_ random: SeededRandom) { self.random = random }

        mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        mutating func step() throws {
            switch draw(8) {
            case 0..<3:
                let user = UInt32(draw(3))
                let text = "\(user).\(asked[user, default: []].count)"
                let size = draw(60) == 0 ? 700_000 : [0, 0, 300, 9_000][draw(4)]
                let entry = try EntryOutboxTests.event(text, bytes: size, of: user)
                guard let ticket = outbox.add(entry, for: user) else { return }
                waiting[ticket] = text
                asked[user, default: []].append(text)
            case 3..<6: ask()
            case 6: if appliedCount < order.count { apply() }
            default: if draw(4) == 0 { outbox.tick() }
            }
        }

        mutating func ask() {
            var next = tokens
            guard
                let append = outbox.next(
                    EntryOutboxTests.issuer,
                    token: {
                        next += 1; return next
                    })
            else { return }
            tokens = next
            if let doubt { #expect(append == doubt, "a doubtful append is made again as it was") }
            largest = max(largest, append.bytes.count)
            let isIn = order.contains { $0.token == append.token }
            switch draw(4) {
            case 0 where !isIn:
                doubt = nil
                fail(outbox.settle(append.token, .refused))
            case 1:
                // Its answer is lost, behind or before it was taken.
                if !isIn, draw(2) == 0 { order.append(append) }
                doubt = append
                #expect(outbox.settle(append.token, .unknown).isEmpty)
            default:
                if !isIn { order.append(append) }
                doubt = nil
                // Now and then the order shows it before it answers.
                if draw(2) == 0 { while appliedCount < order.count { apply() } }
                #expect(outbox.settle(append.token, .taken).isEmpty)
            }
        }

        mutating func apply() {
            if order[appliedCount].token == doubt?.token { doubt = nil }
            for ticket in outbox.applied(order[appliedCount].token) {
                answered.append(waiting.removeValue(forKey: ticket)!)
            }
            appliedCount += 1
        }

        mutating func fail(_ tickets: [EntryOutbox.Ticket]) {
            for ticket in tickets { failed.insert(waiting.removeValue(forKey: ticket)!) }
        }

        /// The entries in the order, those of groups in parts where their last part stands.
        func texts() throws -> [String] {
            var parts: [UInt128: [UInt8]] = [:]
            return try order.flatMap { append -> [String] in
                let form = try GroupForm(append.bytes)
                guard case .part(let part) = form.content else {
                    return try EntryOutboxTests.texts(append.bytes)
                }
                parts[part.token, default: []] += part.bytes
                guard part.index + 1 == part.count else { return [] }
                return try EntryOutboxTests.texts(parts[part.token]!)
            }
        }
    }

    @Test(arguments: 1...20)
    func eachEntryIsInTheOrderOnceOrRefusedInTheOrderOfItsUser(seed: UInt64) throws {
        var run = Run(SeededRandom(seed: seed))
        for _ in 0..<300 { try run.step() }
        while !run.outbox.isIdle { run.ask() }
        while run.appliedCount < run.order.count { run.apply() }
        #expect(run.waiting.isEmpty && run.outbox.heldBytes == 0)
        #expect(run.largest <= Limits.appendBytesMax)
        let texts = try run.texts()
        #expect(texts == run.answered)
        #expect(run.failed.isDisjoint(with: texts))
        for (user, asked) in run.asked {
            #expect(
                texts.filter { $0.hasPrefix("\(user).") }
                    == asked.filter { !run.failed.contains($0) })
        }
    }

    @Test func everythingThatCameMeanwhileGoesWithTheNextAppend() throws {
        var outbox = EntryOutbox(rules: 1, bytesMax: 1 << 20)
        #expect(outbox.next(Self.issuer, token: { 1 }) == nil)
        _ = outbox.add(try Self.event("1", of: 1), for: 1)
        let first = try Self.made(outbox.next(Self.issuer, token: { 1 }))
        for text in ["2", "3", "4"] { _ = outbox.add(try Self.event(text, of: 1), for: 1) }
        #expect(try Self.texts(first.bytes) == ["1"])
        #expect(outbox.next(Self.issuer, token: { 2 }) == first)
        _ = outbox.settle(first.token, .taken)
        let second = try Self.made(outbox.next(Self.issuer, token: { 2 }))
        #expect(try Self.texts(second.bytes) == ["2", "3", "4"])
    }

    @Test func aUserWithMuchDoesNotHoldUpAnother() throws {
        var outbox = EntryOutbox(rules: 1, bytesMax: 64 << 20)
        for index in 0..<600 {
            _ = outbox.add(try Self.event("much\(index)", bytes: 8_000, of: 1), for: 1)
        }
        _ = outbox.add(try Self.event("one", of: 2), for: 2)
        let append = try Self.made(outbox.next(Self.issuer, token: { 1 }))
        let texts = try Self.texts(append.bytes)
        #expect(texts.contains("one") && texts.count > 50)
    }

    @Test func moreThanMayBeHeldIsNotTakenUntilItIsApplied() throws {
        var outbox = EntryOutbox(rules: 1, bytesMax: 1_000)
        #expect(outbox.add(try Self.event("large", bytes: 5_000, of: 1), for: 1) != nil)
        #expect(outbox.add(try Self.event("small", of: 1), for: 1) == nil)
        let append = try Self.made(outbox.next(Self.issuer, token: { 1 }))
        _ = outbox.settle(append.token, .taken)
        #expect(outbox.add(try Self.event("small", of: 1), for: 1) == nil)
        _ = outbox.applied(append.token)
        #expect(outbox.add(try Self.event("small", of: 1), for: 1) != nil)
    }

    @Test func entriesInNoAppendCanBeGivenUp() throws {
        var outbox = EntryOutbox(rules: 1, bytesMax: 1_000)
        let first = outbox.add(try Self.event("1", of: 1), for: 1)
        let append = try Self.made(outbox.next(Self.issuer, token: { 1 }))
        let second = outbox.add(try Self.event("2", of: 1), for: 1)
        let settings = outbox.set(.unbounded)
        #expect(outbox.giveUp() == [second, settings])
        _ = outbox.settle(append.token, .taken)
        #expect(outbox.applied(append.token) == [first])
        #expect(outbox.isIdle && outbox.heldBytes == 0)
    }

    @Test func settingsGoWithTheNextGroup() throws {
        var outbox = EntryOutbox(rules: 1, bytesMax: 1_000)
        var settings = OrderSettings.unbounded
        settings.tombstonesMax = 3
        let tickets = [outbox.set(.unbounded), outbox.set(settings)]
        let append = try Self.made(outbox.next(Self.issuer, token: { 1 }))
        let form = try GroupForm(append.bytes)
        guard case .entries(let entries, let told) = form.content else {
            Issue.record("a part")
            return
        }
        #expect(entries.isEmpty && told == settings)
        #expect(outbox.applied(append.token) == tickets)
    }

    @Test func aTickIsAGroupWithoutEntries() throws {
        var outbox = EntryOutbox(rules: 1, bytesMax: 1_000)
        outbox.tick()
        let append = try Self.made(outbox.next(Self.issuer, token: { 1 }))
        #expect(try Self.texts(append.bytes) == [])
        #expect(outbox.applied(append.token) == [] && outbox.isIdle)
    }
}
