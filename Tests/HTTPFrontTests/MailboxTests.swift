import Testing

@testable import HTTPFront

@Suite struct MailboxTests {
    @Test("A closed mailbox drops what its own thread posts, as it does for every other")
    func aClosedMailboxKeepsNothing() throws {
        let mailbox = try Mailbox()
        mailbox.adoptThread()
        mailbox.post(.job { _ in })
        #expect(mailbox.hasOwnMessages)
        mailbox.close()
        mailbox.post(.job { _ in })
        #expect(!mailbox.hasOwnMessages)
        #expect(mailbox.takeMessages().isEmpty)
    }
}
