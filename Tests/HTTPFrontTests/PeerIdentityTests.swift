import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct PeerIdentityTests {
    private let identity = PeerIdentity()

    @Test(arguments: LoopbackListener.usableTCP)
    func tcpPeersAreKnownByTheOwnerOfTheirSocket(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        let peer = try #require(identity.peer(of: server.accepted))
        let expected = getuid() == PeerIdentity.overflowUID ? nil : getuid()
        #expect(peer.uid == expected)
        #expect(peer.groups == nil)
        #expect(peer.pid == nil)
        #expect(peer.localPort == SocketAddress(localOf: server.descriptor)?.port)
        guard case .tcp(_, let remote) = peer.transport else {
            Issue.record("not TCP")
            return
        }
        #expect(remote.port == SocketAddress(localOf: client.descriptor)?.port)
    }

    @Test func unixPeersAreKnownWithTheirProcess() throws {
        let (client, server) = try LoopbackListener(.unix).connect()
        defer { client.close() }
        let peer = try #require(identity.peer(of: server.accepted))
        #expect(peer.transport == .unix)
        #expect(peer.uid == getuid())
        // As the process has them: the effective group, and the supplementary ones.
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        let all = Set([getegid()] + groups[..<Int(count)]).subtracting([PeerIdentity.overflowUID])
        #expect(peer.groups.map(Set.init) == all)
        #expect(peer.groups?.first == getegid())
        #expect(peer.pid == getpid())
    }

    @Test(arguments: LoopbackListener.usableTCP)
    func aTCPPeerThatClosedBeforeWeAskedIsUnknown(kind: LoopbackListener.Kind) throws {
        let listener = try LoopbackListener(kind)
        let client = try RawClient(listener.address)
        client.close()
        let server = try listener.accept()
        let peer = try #require(identity.peer(of: server.accepted))
        #expect(peer.uid == nil)
    }

    @Test func aUnixPeerThatClosedBeforeWeAskedIsStillKnown() throws {
        let listener = try LoopbackListener(.unix)
        let client = try RawClient(listener.address)
        client.close()
        let server = try listener.accept()
        let peer = try #require(identity.peer(of: server.accepted))
        #expect(peer.pid == getpid())
    }

    @Test(arguments: LoopbackListener.usableTCP)
    func aHalfClosedPeerIsStillKnown(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        client.halfClose()
        #expect(server.awaitEnd())
        let peer = try #require(identity.peer(of: server.accepted))
        #expect(peer.uid == (getuid() == PeerIdentity.overflowUID ? nil : getuid()))
    }

    @Test func whatHasNoAddressHasNoPeer() throws {
        let anywhere = SocketAddress(family: .ipv4, bytes: SIMD16(), port: 1)
        let known = try #require(SocketAddress(numeric: "127.0.0.1", port: 1))
        for (bound, remote) in [(anywhere, known), (known, nil)] {
            let accepted = AcceptedSocket(
                descriptor: -1, listener: .tcp(bound), remote: remote)
            #expect(identity.peer(of: accepted) == nil)
        }
    }

    @Test(
        arguments: [
            (1000, 7, 1, 1000), (0, 7, 1, 0), (1000, 7, 4, 1000), (1000, 7, 5, 1000),
            (1000, 7, 8, 1000),
            (0, 0, 1, nil), (0, 0, 4, nil), (0, 0, 6, nil), (1000, 0, 1, nil), (1000, 7, 6, nil),
            (1000, 7, 2, nil), (1000, 7, 3, nil), (1000, 7, 7, nil), (1000, 7, 9, nil),
            (1000, 7, 10, nil), (1000, 7, 11, nil), (1000, 7, 12, nil), (1000, 7, 0, nil),
            (65_534, 7, 1, nil), (.max, 7, 1, nil),
        ] as [(UInt32, UInt32, UInt8, UInt32?)])
    func onlyALivingSocketOfANamedUserCounts(
        uid: UInt32, inode: UInt32, state: UInt8, known: UInt32?
    ) {
        #expect(
            PeerIdentity.uid(of: SocketTable.Row(uid: uid, inode: inode, state: state)) == known)
    }

    @Test(.byRoot, arguments: [(12_345, 12_345), (65_534, nil)])
    func anotherUsersProcessIsThatUser(uid: UInt32, known: UInt32?) throws {
        let listener = try LoopbackListener(.ipv4)
        guard case .tcp(let port) = listener.address else { return }
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); read -r -t 20 line <&3"
        let arguments = ["setpriv", "--reuid=\(uid)", "--clear-groups", "bash", "-c", script]
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        var child: pid_t = 0
        try #require(posix_spawnp(&child, "setpriv", nil, nil, &pointers, environ) == 0)
        let server = try listener.accept()
        let peer = identity.peer(of: server.accepted)
        server.write("bye\n")
        waitpid(child, nil, 0)
        #expect(peer?.uid == known)
    }
}
