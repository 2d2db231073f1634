import TestSupport
import Testing
import Topics

@testable import Ordered

@Suite struct ApplierTests {
    private static let start = OrderPlace.beginning(of: SampleItems.life)

    private static func follow(
        _ items: [OrderedItem], behind place: OrderPlace = start, low: Int64 = 1,
        remembering remembered: Int64 = Applier.remembered
    ) -> (groups: [AppliedWords], fault: OrderFault?) {
        var applier = Applier(behind: place, low: low, remembering: remembered)
        return applier.follow(items.drop { $0.sequence < applier.next })
    }

    @Test func groupsComeWithTheirPlacesAndTheTimeOfTheOrder() throws {
        var order = SampleItems()
        try order.add("1")
        try order.add("2", line: 3)
        let (groups, fault) = Self.follow(order.items)
        #expect(fault == nil && groups.map(\.texts) == [["1"], ["2"]])
        for (group, item) in zip(groups, order.items) {
            let place = OrderPlace(
                sequence: item.sequence, chain: item.chain, line: item.line, time: item.time)
            #expect(group.place == place)
            #expect(group.ends == [item.time.advanced(microseconds: 60_000_000)])
        }
    }

    /// The clock of a server that is far ahead does not age events, and time never falls.
    @Test func theTimeOfTheOrderFollowsTheIssuerAndNeverFalls() throws {
        var order = SampleItems()
        let lead = Limits.clockLeadMicroseconds
        try order.add("1")
        try order.add("ahead", after: 10 * lead)
        try order.add("back", issuer: order.issuer(at: -100 * lead))
        let times = Self.follow(order.items).groups.map(\.place.time.microseconds)
        let first = order.items[0].time.microseconds
        #expect(times == [first, first + lead, first + lead])
    }

    @Test func anAppendThatIsTakenTwiceCountsOnce() throws {
        var order = SampleItems()
        try order.add("1", token: 7)
        try order.add("2")
        try order.add("1", token: 7)
        let (groups, fault) = Self.follow(order.items)
        #expect(fault == nil && groups.map(\.texts) == [["1"], ["2"], []])
    }

    @Test func anAppendThatIsShownTwiceIsSkipped() throws {
        var order = SampleItems()
        for text in ["1", "2", "3"] { try order.add(text) }
        let items = order.items
        let (groups, fault) = Self.follow([items[0], items[1], items[0], items[1], items[2]])
        #expect(fault == nil && groups.map(\.texts) == [["1"], ["2"], ["3"]])
    }

    @Test func aGroupInPartsIsAppliedWithTheLastOne() throws {
        var order = SampleItems()
        let parts = try order.parts(of: "large", 3, token: 1)
        order.add(parts[0])
        try order.add("between")
        order.add(parts[1])
        order.add(parts[2])
        let texts = Self.follow(order.items).groups.map(\.texts)
        #expect(texts == [[], ["between"], [], ["large"]])
    }

    /// Parts in another order, or without their first one, are of no group.
    @Test func partsThatDoNotFollowOneAnotherAreDropped() throws {
        for order in [[1, 2], [0, 2], [0, 1, 1, 2], [2, 1, 0]] {
            var items = SampleItems()
            let parts = try items.parts(of: "large", 3, token: 1)
            for index in order { items.add(parts[index]) }
            let (groups, fault) = Self.follow(items.items)
            #expect(fault == nil && groups.allSatisfy { $0.texts.isEmpty }, "\(order)")
        }
    }

    @Test func aHoleIsRefused() throws {
        var order = SampleItems()
        for text in ["1", "2", "3"] { try order.add(text) }
        let items = order.items
        #expect(Self.follow([items[0], items[2]]).fault == .hole(after: 1, found: 3))
        #expect(Self.follow([items[2]], low: 3).fault == .hole(after: 0, found: 3))
    }

    @Test func anotherPastIsRefused() throws {
        var (order, other) = (SampleItems(), SampleItems())
        for text in ["1", "2", "3"] {
            try order.add(text)
            try other.add(text, token: UInt128(text == "2" ? 9 : 8))
        }
        try other.add("4")
        let place = Self.follow(order.items).groups[2].place
        // The same numbers, behind another append.
        #expect(Self.follow([order.items[0], other.items[1]]).fault == .otherPast(2))
        #expect(Self.follow(other.items, behind: place).fault == .otherPast(3))
        let joined = order.items + [other.items[3]]
        #expect(Self.follow(joined, behind: place).fault == .otherPast(4))
    }

    @Test func aHostThatAppliedOtherAppendsIsFound() throws {
        var order = SampleItems()
        try order.add("1")
        try order.add("2")
        try order.add("3", issuer: order.issuer("b", behind: 1, chain: 5))
        #expect(Self.follow(order.items).fault == .otherIssuer(3, host: "b"))
        var future = SampleItems()
        let issuer = GroupForm.Issuer(
            host: "b", time: Timestamp(microseconds: 0), sequence: 1, chain: 0)
        try future.add("1", issuer: issuer)
        #expect(Self.follow(future.items).fault == .otherIssuer(1, host: "b"))
    }

    @Test func anOldServerAndNewerRulesAreRefused() throws {
        var order = SampleItems()
        try order.add("1", line: 2)
        try order.add("2", line: 1)
        #expect(Self.follow(order.items).fault == .oldLine(2))
        var newer = SampleItems()
        try newer.add("1", rules: Applier.rules + 1)
        #expect(Self.follow(newer.items).fault == .newerRules(1, Applier.rules + 1))
    }

    @Test func damagedBytesStopTheHostWithASentence() throws {
        var order = SampleItems()
        try order.add("1")
        order.add([1, 2, 3])
        try order.add("3")
        let (groups, fault) = Self.follow(order.items)
        #expect(groups.map(\.texts) == [["1"]])
        #expect(fault?.description.hasPrefix("append 2: a group of the order is damaged") == true)
    }

    /// Parts and tokens reach over a start as far as without one, and no farther.
    @Test(arguments: 1...20)
    func aHostThatStartsAgainAppliesTheSameGroups(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        var order = SampleItems()
        var open: [(parts: [[UInt8]], next: Int)] = []
        while order.items.count < 200 {
            switch draw(6) {
            case 0 where order.items.count > 25:
                // Taken again, about as long ago as a token is remembered.
                let item = order.items[order.items.count - 15 - draw(10)]
                order.add(item.bytes, token: item.token)
            case 1 where open.count < 3:
                let token = UInt128(1_000_000 + order.items.count)
                open.append((try order.parts(of: "large", 3, token: token), 0))
            case 2 where !open.isEmpty:
                let index = draw(open.count)
                order.add(open[index].parts[open[index].next])
                open[index].next += 1
                if open[index].next == 3 { open.remove(at: index) }
            default:
                let issuer = order.issuer(behind: max(0, order.items.count - draw(40)))
                try order.add("\(order.items.count)", issuer: issuer)
            }
        }
        let whole = Self.follow(order.items, remembering: 20)
        #expect(whole.fault == nil)
        for _ in 0..<10 {
            let count = draw(order.items.count)
            let place = count == 0 ? Self.start : whole.groups[count - 1].place
            let rest = Self.follow(order.items, behind: place, remembering: 20)
            #expect(rest.fault == nil && rest.groups == Array(whole.groups[count...]))
        }
    }

    /// A host that cannot see what others remember would guess.
    @Test func anOrderThatKeepsTooLittleIsRefused() throws {
        var order = SampleItems()
        for index in 0..<50 { try order.add("\(index)") }
        let place = Self.follow(order.items, remembering: 5).groups[29].place
        let rest = Self.follow(order.items, behind: place, low: 21, remembering: 5)
        #expect(rest.fault == nil && rest.groups.count == 20)
        let refused = Self.follow(order.items, behind: place, low: 22, remembering: 5)
        #expect(refused.fault == .hole(after: 20, found: 22) && refused.groups.isEmpty)
    }
}
