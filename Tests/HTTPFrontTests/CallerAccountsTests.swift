import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct CallerAccountsTests {
    private let accounts = CallerAccounts()
    private var connections: [UInt32?: Int] {
        Dictionary(uniqueKeysWithValues: accounts.all.map { ($0.account.uid, $0.connections) })
    }

    @Test func eachUserHasABoundAndUnknownOnesHaveOneTogether() throws {
        for uid: UInt32? in [0, 1_000, nil] {
            let first = try #require(accounts.enter(uid, connectionsMax: 2))
            #expect(accounts.enter(uid, connectionsMax: 2) === first)
            #expect(accounts.enter(uid, connectionsMax: 2) == nil)
            #expect(first.uid == uid)
        }
        #expect(connections == [0: 2, 1_000: 2, nil: 2])
    }

    @Test func aBoundOfNoneLeavesNothingBehind() {
        #expect(accounts.enter(7, connectionsMax: 0) == nil)
        for uid in 1...1_000 { _ = accounts.enter(UInt32(uid), connectionsMax: 0) }
        #expect(connections.count <= 64)
    }

    @Test func whoLeavesIsForgottenUnlessSomethingIsLeftBehind() throws {
        let account = try #require(accounts.enter(7, connectionsMax: 1))
        accounts.leave(account)
        #expect(connections.isEmpty)
        let next = try #require(accounts.enter(7, connectionsMax: 1))
        next.queuedBytes.add(10)
        accounts.leave(next)
        #expect(accounts.enter(7, connectionsMax: 1) === next)
        accounts.leave(next)
        for uid in 100..<1_000 {
            accounts.leave(try #require(accounts.enter(UInt32(uid), connectionsMax: 1)))
        }
        #expect(connections == [7: 0])
        next.queuedBytes.add(-10)
        for uid in 100..<200 { _ = accounts.enter(UInt32(uid), connectionsMax: 1) }
        #expect(connections[7] == nil)
    }

    @Test func comingAndGoingOnManyThreadsAddsUp() throws {
        try inParallel(4) { index in
            for turn in 0..<2_000 {
                let uid = UInt32(turn % 3)
                if let account = accounts.enter(uid, connectionsMax: 3) { accounts.leave(account) }
            }
        }
        #expect(connections.isEmpty)
    }
}
