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
        var handled = 0
        mailbox.handleOwnMessages { _ in handled += 1 }
        #expect(handled == 1 && !mailbox.hasOwnMessages)
    }

    @Test func whatIsPostedWhileMessagesAreHandledIsLeftForTheNextTime() throws {
        let mailbox = try Mailbox()
        mailbox.adoptThread()
        var dues: [UInt64] = []
        let handle = { (message: LoopMessage) in
            guard case .drain(let due) = message else { return }
            dues.append(due)
            if due < 10 { mailbox.post(.drain(until: due + 10)) }
        }
        for due in 0..<3 as Range<UInt64> { mailbox.post(.drain(until: due)) }
        mailbox.handleOwnMessages(handle)
        #expect(dues == [0, 1, 2] && mailbox.hasOwnMessages)
        mailbox.handleOwnMessages(handle)
        #expect(dues == [0, 1, 2, 10, 11, 12] && !mailbox.hasOwnMessages)
        mailbox.handleOwnMessages(handle)
        #expect(dues.count == 6)
    }

    @Test func onlyTheRequestBeingHandledIsAnsweredDirectly() throws {
        let mailbox = try Mailbox()
        mailbox.adoptThread()
        mailbox.handling(7) {
            PendingReply.send([
                (PendingReply(mailbox: mailbox, slot: 0, number: 6), Response(status: 206)),
                (PendingReply(mailbox: mailbox, slot: 1, number: 7), Response(status: 207)),
                (PendingReply(mailbox: mailbox, slot: 2, number: 8), Response(status: 208)),
            ])
        }
        #expect(mailbox.takeDirectReply()?.status == 207)
        var numbers: [UInt64] = []
        mailbox.handleOwnMessages { message in
            if case .replies(let replies) = message { numbers += replies.map(\.number) }
        }
        #expect(numbers == [6, 8])
        mailbox.handling(8) {}
        #expect(mailbox.takeDirectReply()?.status == nil)
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
