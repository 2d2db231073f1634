import Glibc
import Protection
import TestSupport
import Testing

@testable import HTTPFront

@Suite struct LoopMailboxTests {
    /// Whether the eventfd was written, and how often since the last look.
    private func wakeUps(_ mailbox: Mailbox) -> UInt64 {
        var count: UInt64 = 0
        return read(mailbox.descriptor, &count, 8) == 8 ? count : 0
    }

    @Test func burstWakesTheLoopOnce() throws {
        let mailbox = try Mailbox()
        for _ in 0..<100 { mailbox.post(.drain(until: 0)) }
        #expect(wakeUps(mailbox) == 1)
        #expect(mailbox.takeMessages().count == 100)
        mailbox.post(.drain(until: 0))
        #expect(wakeUps(mailbox) == 1)
    }

    @Test func ownThreadWakesNobody() throws {
        let mailbox = try Mailbox()
        mailbox.adoptThread()
        mailbox.post(.drain(until: 0))
        #expect(wakeUps(mailbox) == 0)
        #expect(mailbox.hasOwnMessages)
        #expect(mailbox.takeMessages().isEmpty)
        #expect(mailbox.takeOwnMessages().count == 1)
        #expect(!mailbox.hasOwnMessages)
    }

    @Test func onlyTheRequestBeingHandledIsAnsweredDirectly() throws {
        let mailbox = try Mailbox()
        mailbox.adoptThread()
        let direct = mailbox.handling(7) {
            PendingReply.send([
                (PendingReply(mailbox: mailbox, slot: 0, number: 6), Response(status: 206)),
                (PendingReply(mailbox: mailbox, slot: 1, number: 7), Response(status: 207)),
                (PendingReply(mailbox: mailbox, slot: 2, number: 8), Response(status: 208)),
            ])
        }
        #expect(direct?.status == 207)
        let numbers = mailbox.takeOwnMessages().flatMap { message -> [UInt64] in
            if case .replies(let replies) = message { replies.map(\.number) } else { [] }
        }
        #expect(numbers == [6, 8])
        #expect(mailbox.handling(8) {}?.status == nil)
    }

    @Test func batchIsOneMessageToEachLoop() throws {
        let mailboxes = [try Mailbox(), try Mailbox()]
        PendingReply.send(
            (0..<100).map {
                let reply = PendingReply(
                    mailbox: mailboxes[$0 % 2], slot: $0, number: UInt64($0 + 1))
                return (reply, Response(status: 200))
            })
        for mailbox in mailboxes {
            #expect(wakeUps(mailbox) == 1)
            #expect(mailbox.takeMessages().count == 1)
        }
    }

    @Test func closedMailboxDropsWhatComes() throws {
        let mailbox = try Mailbox()
        mailbox.post(.drain(until: 0))
        mailbox.close()
        mailbox.post(.drain(until: 0))
        #expect(mailbox.takeMessages().isEmpty)
    }
}
