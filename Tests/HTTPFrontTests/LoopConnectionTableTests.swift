import Testing

@testable import HTTPFront

@Suite struct LoopConnectionTableTests {
    private let peer = Peer(transport: .unix)

    @Test func usedSlotHasANewName() {
        var table = ConnectionTable()
        let first = table.insert(descriptor: 3, peer: peer)
        let token = first.token
        table.remove(first)
        #expect(table[token: token] == nil)
        let second = table.insert(descriptor: 3, peer: peer)
        #expect(second.slot == first.slot)
        #expect(table[token: token] == nil)
        #expect(table[token: second.token] === second)
        #expect(table.count == 1)
    }

    @Test func namesDifferFromTheLoopsOwnDescriptors() {
        var table = ConnectionTable()
        for descriptor in 0..<100 {
            let connection = table.insert(descriptor: Int32(descriptor), peer: peer)
            #expect(connection.token >= PollToken.firstConnection)
        }
        #expect(table.all.count == 100)
        #expect(table[100] == nil)
    }
}
