import Protection
import TestSupport
import Testing
import Topics

@testable import Work

/// What a lease is as text, and where its secret comes from.
@Suite(.blocking) struct LeaseTextTests {
    private let lease = LeaseText(
        group: GroupNumber(rawValue: 7), epoch: 3,
        ids: EventID(rawValue: 1_000)...EventID.max,
        token: LeaseToken(high: 0xFEDC_BA98_7654_3210, low: 0x0123_4567_89AB_CDEF))

    @Test
    func aLeaseIsBase64URLOfItsParts() {
        #expect(lease.text == "AAAAAAAABwAAAAMAAAAAAAPoH_________7cuph2VDIQASNFZ4mrze8")
        #expect(LeaseText(lease.text) == lease)
    }

    @Test
    func noOtherTextIsThatLease() {
        let text = lease.text
        let (head, tail) = (text.dropLast(), text.dropFirst())
        let others: [String] = [
            "", "\(head)", "\(text)A", "\(head)9", "\(head)=", "\(head)+", "/\(tail)",
            "é\(tail.dropFirst())",
        ]
        for other in others { #expect(LeaseText(other) == nil, "\(other)") }
    }

    @Test
    func tokensOfSeveralThreadsAreAllDifferent() throws {
        let (tokens, given) = (LeaseTokens(), Protected<Set<LeaseToken>>([]))
        let each = 3 * Limits.tokensDrawn + 1
        try inParallel(4) { _ in
            let own = (0..<each).map { _ in tokens.next() }
            given.write { $0.formUnion(own) }
        }
        #expect(given.read { $0.count } == 4 * each)
    }
}
