import Glibc
import Protection
import TestSupport
import Testing
import Topics

@testable import BelfryClient

@Suite(.blocking) struct PeerCheckTests {
    private static let other: uid_t = 12_345

    private static let answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n" + #"{"topics":[],"cursor":"7"}"#

    private func client(
        _ server: ScriptedServer, trust: TokenTrust = .known,
        token: @escaping @Sendable () -> String?
    ) throws -> BusClient {
        try BusClient(
            ClientConfiguration(
                address: #require(BusAddress("http://127.0.0.1:\(server.port)")), trust: trust,
                token: token))
    }

    private func failure(of client: BusClient) async -> ClientError? {
        do throws(ClientError) {
            _ = try await client.topics()
            return nil
        } catch {
            return error
        }
    }

    private func isUntrusted(_ error: ClientError?) -> Bool {
        if case .untrusted = error { true } else { false }
    }

    @Test(.byRoot) func aListenerOfAnotherUserGetsNothingThatHasAToken() async throws {
        let server = try ScriptedServer(owner: Self.other) { _ in Self.answer }
        let client = try client(server) { "SECRET" }
        #expect(isUntrusted(await failure(of: client)))
        await #expect(throws: ClientError.self) { try await client.publish("x", to: "a") }
        await #expect(throws: ClientError.self) { _ = try await client.subscribe(Selector("a")) }
        #expect(server.requests == [])
        #expect(await failure(of: try self.client(server, trust: .anyone) { "SECRET" }) == nil)
        #expect(await failure(of: try self.client(server) { nil }) == nil)
        #expect(server.requests.count == 2)
    }

    @Test(.byRoot) func aConnectionFromBeforeTheTokenGetsNone() async throws {
        let server = try ScriptedServer(owner: Self.other) { _ in Self.answer }
        let token = Protected<String?>(nil)
        let client = try client(server) { token.value }
        #expect(await failure(of: client) == nil)
        token.value = "SECRET"
        #expect(isUntrusted(await failure(of: client)))
        #expect(server.requests.count == 1)
    }

    /// libcurl takes no connection that was idle for 118 s (CURLOPT_MAXAGE_CONN). On a machine with ten
    /// programs for each processor a task may wait as long for its next turn.
    @Test func aConnectionThatWasTrustedServesAllRequests() async throws {
        let server = try ScriptedServer { _ in Self.answer }
        let client = try client(server) { "SECRET" }
        let clock = ContinuousClock()
        var (last, longest) = (clock.now, Duration.zero)
        for _ in 0..<3 {
            #expect(await failure(of: client) == nil)
            longest = max(longest, last.duration(to: clock.now))
            last = clock.now
        }
        #expect(server.requests.count == 3)
        let made = server.connectionsMade
        #expect(made == 1 || longest > .seconds(100), "\(made) connections, \(longest) apart")
    }

    @Test func theKernelSaysWhoseAListenerIs() throws {
        let server = try ScriptedServer([])
        for ip in ["127.0.0.1", "::ffff:127.0.0.1"] {
            guard case .found(let found) = Listener.find(at: PeerAddress(ip: ip, port: server.port))
            else {
                Issue.record("\(ip) is not found")
                continue
            }
            #expect(found.uid == geteuid() && found.inode != 0)
        }
        #expect(Listener.find(at: PeerAddress(ip: "127.0.0.1", port: 1)) == .none)
        #expect(Listener.find(at: PeerAddress(ip: "no address", port: server.port)) == .none)
    }

    @Test func onlyAListenerThatWasThereAllTheTimeIsTrusted() {
        let address = PeerAddress(ip: "127.0.0.1", port: 7_464)
        let (root, later) = (Listener(uid: 0, inode: 7), Listener(uid: 0, inode: 8))
        let other = Listener(uid: Self.other, inode: 9)
        let verdict = { (before: Listener.Answer, behind: Listener.Answer) in
            PeerCheck.verdict(before: before, behind: behind, at: address)
        }
        #expect(verdict(.found(root), .found(root)) == .trusted)
        for before in [Listener.Answer.none, .found(later), .found(other), .failed(13)] {
            #expect(verdict(before, .found(root)) == .changed)
        }
        #expect(verdict(.found(root), .none) == .changed)
        for (before, behind) in [
            (Listener.Answer.found(root), Listener.Answer.found(other)), (.none, .found(other)),
            (.found(other), .found(other)), (.none, .none), (.found(root), .failed(13)),
        ] {
            guard case .untrusted = verdict(before, behind) else {
                Issue.record("\(before), \(behind)")
                continue
            }
        }
    }

    @Test func nobodyWhomTheKernelDoesNotNameIsTrusted() {
        #expect(TrustedUsers.has(0) && !TrustedUsers.has(65_534) && !TrustedUsers.has(.max))
    }

    @Test func aSubscriptionThatMeetsAStrangerEnds() {
        var machine = SubscriptionMachine(from: .now, through: nil) { $0 }
        _ = machine.step()
        machine.take(AnswerHead(status: 200, fields: ["event-cursor": "7"]))
        machine.take(.broken("", mayHaveArrived: false))
        _ = machine.step()
        machine.take(.untrusted("a stranger"))
        guard case .fail(.untrusted("a stranger")) = machine.step() else {
            Issue.record("it goes on")
            return
        }
    }
}
