import Access
import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// A served bus with a group, and requests to it that are short to write.
final class WorkPlace {
    let server: StreamServer

    init(
        _ configuration: BusAPIConfiguration = WorkPlace.configuration(),
        store: any EventStore = MemoryStore(ceiling: nil),
        group settings: String? = "of=jobs.>"
    ) throws {
        server = try StreamServer(configuration, store: store)
        guard let settings else { return }
        try expect(201, "PUT", "/groups/g?\(settings)")
    }

    /// The defaults, under these rules.
    static func configuration(_ rules: String...) -> BusAPIConfiguration {
        BusAPIConfiguration(access: access(rules), version: "0")
    }

    /// The policy of these rules.
    static func access(_ rules: [String]) -> AccessPolicy {
        let rules = rules.map { text in
            guard let rule = try? AccessRule(text, users: NoUsers()) else {
                preconditionFailure("`\(text)` is no rule")
            }
            return rule
        }
        return AccessPolicy(rules: AccessRules(rules), administrator: 4_242)
    }

    /// Asks on a connection of its own.
    @discardableResult
    func ask(
        _ method: String, _ target: String, _ body: String? = nil,
        headers: [(String, String)] = []
    ) throws -> RawClient.Answer {
        try server.connect().exchange(
            method, target, headers: headers, body: body.map { Array($0.utf8) })
    }

    /// Asks, and expects a status.
    @discardableResult
    func expect(
        _ status: Int, _ method: String, _ target: String, _ body: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RawClient.Answer {
        try refuse(status, nil, method, target, body, sourceLocation: sourceLocation)
    }

    /// Asks, and expects a problem with its code; an answer of any kind where that is nil.
    @discardableResult
    func refuse(
        _ status: Int, _ code: String?, _ method: String, _ target: String,
        _ body: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RawClient.Answer {
        let answer = try ask(method, target, body)
        #expect(
            answer.status == status, "\(method) \(target): \(answer.text)",
            sourceLocation: sourceLocation)
        if let code {
            #expect(
                answer.text.contains("\"code\":\"\(code)\""), "\(method) \(target): \(answer.text)",
                sourceLocation: sourceLocation)
        }
        return answer
    }

    /// Takes a job that is at hand, and returns its lease.
    func take(_ query: String = "") throws -> String {
        let answer = try expect(200, "POST", "/groups/g/next?wait=0&\(query)")
        return try #require(answer.header("work-lease"))
    }

    /// Asks for a job on a connection that stays, and returns once it waits.
    func wait(_ query: String = "", headers: [(String, String)] = []) throws -> RawClient {
        let before = server.groups.figures.workers
        let client = try server.connect()
        try client.send("POST", "/groups/g/next?\(query)", headers: headers)
        try server.wait { server.groups.figures.workers == before + 1 }
        return client
    }

    /// Publishes one event, and returns its id.
    @discardableResult
    func publish(_ text: String, to topic: String = "jobs.a") throws -> EventID {
        try server.publish(text, to: topic)
    }

    /// What the group shows of itself.
    func group() throws -> String { try expect(200, "GET", "/groups/g").text }
}

/// A machine whose users have no names.
private struct NoUsers: UserDatabase {
    func uid(ofUser name: String) -> UInt32? { nil }
    func gid(ofGroup name: String) -> UInt32? { nil }
    func groups(of uid: UInt32) -> [UInt32] { [] }
}
