import Glibc
import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// A directory of users that answers when a test says so.
private final class Directory: PeerGroups {
    let known = Protected<[UInt32]?>(nil)
    let asked = Gate()
    let then = Protected<(@Sendable ([UInt32]?) -> Void)?>(nil)
    let withdrawn = Protected<[UInt64]>([])
    let lastTicket = Protected<UInt64>(0)
    var areNeeded: Bool { true }

    func withdraw(_ ticket: UInt64, about uid: UInt32) {
        withdrawn.write { $0.append(ticket) }
    }

    func groups(
        of uid: UInt32, then: @escaping @Sendable ([UInt32]?) -> Void
    ) -> PeerGroupsAnswer {
        if let groups = known.value { return .known(groups) }
        self.then.value = then
        asked.open()
        return .later(
            ticket: lastTicket.write {
                $0 += 1
                return $0
            })
    }

    func tell(_ groups: [UInt32]?) throws {
        try asked.wait()
        then.write { then in
            defer { then = nil }
            return then
        }?(groups)
    }
}

/// Groups of callers over TCP. Who asks is whoever runs the tests, who has to be somebody.
@Suite(.blocking, .byNamedUser) struct PeerGroupsTests {
    private let directory = Directory()
    private let server: LoopServer

    init() throws { server = try Self.server(directory) }

    private static func server(
        _ directory: Directory, milliseconds: UInt64 = 20_000
    ) throws -> LoopServer {
        try LoopServer {
            $0.peerGroups = directory
            $0.peerGroupsMilliseconds = milliseconds
        }
    }

    @Test func groupsThatAreKnownAreThere() throws {
        directory.known.value = [4, 7]
        #expect(try server.connect().exchange("GET", "/groups").text == "[4, 7]")
    }

    @Test func aRequestIsNotReadBeforeTheGroupsOfItsUserAreKnown() throws {
        let client = try server.connect()
        try client.send("GET", "/groups")
        try directory.asked.wait()
        #expect(client.isSilent(for: 0.05))
        #expect(server.backstage.state.value.handled == [])
        try directory.tell([50])
        #expect(try client.readAnswer().text == "[50]")
        // They are those of the connection, for as long as it lasts.
        directory.known.value = [51]
        #expect(try client.exchange("GET", "/groups").text == "[50]")
        #expect(try server.connect().exchange("GET", "/groups").text == "[51]")
    }

    @Test func aRequestThatComesBehindItsGroupsIsServed() throws {
        let client = try server.connect()
        try directory.tell([50])
        #expect(try client.exchange("GET", "/groups").text == "[50]")
    }

    @Test func whoeverNobodyCanTellGoesOnWithoutGroups() throws {
        let client = try server.connect()
        try client.send("GET", "/groups")
        try directory.tell(nil)
        #expect(try client.readAnswer().text == "unknown")
    }

    @Test func aDirectoryThatDoesNotAnswerHoldsAConnectionForABoundedTime() throws {
        let server = try Self.server(directory, milliseconds: 50)
        let client = try server.connect()
        #expect(try client.exchange("GET", "/groups").text == "unknown")
        // What it says after all comes too late for this connection, and harms nobody.
        try directory.tell([50])
        #expect(try client.exchange("GET", "/groups").text == "unknown")
        #expect(directory.withdrawn.value == [1])
    }

    @Test func aConnectionThatIsAnsweredWithdrawsNothing() throws {
        let client = try server.connect()
        try directory.tell([50])
        #expect(try client.exchange("GET", "/groups").text == "[50]")
        client.close()
        server.expectEmpty()
        #expect(directory.withdrawn.value == [])
    }

    @Test func reconnectsLeaveNoQuestionsBehindAtADirectoryThatHangs() throws {
        for number in 1...20 {
            let client = try server.connect()
            server.expect(Int(directory.lastTicket.value), becomes: number)
            client.reset()
            server.expect(directory.withdrawn.value.count, becomes: number)
            #expect(directory.withdrawn.value.last == UInt64(number))
        }
    }

    @Test func whoLeavesMeanwhileIsForgotten() throws {
        let client = try server.connect()
        try client.send("GET", "/groups")
        try directory.asked.wait()
        client.reset()
        try directory.tell([50])
        server.expectEmpty()
    }

    @Test func callersOverTheUnixSocketAreNotLookedUp() throws {
        let text = try server.connect(.unix).exchange("GET", "/groups").text
        #expect(text.hasPrefix("[\(getegid())"))
        #expect(!directory.asked.isOpen)
    }
}
