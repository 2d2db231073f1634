import SQLiteStore
import TestSupport
import Testing
import Topics
import Wire

@testable import BusAPI

/// Every field that an event can have, through every form that carries it.
///
/// The tests go through all cases: one that is added and forgotten somewhere fails here.
@Suite(.blocking) struct FieldFormsTests {
    enum Kind: CaseIterable { case memory, sqlite }

    /// A value that every field takes and no other one has.
    private static func text(_ field: MetadataField) -> String {
        "value/\(field.rawValue)"
    }

    private static func server(_ kind: Kind, in folder: TemporaryFolder) throws -> StreamServer {
        switch kind {
        case .memory: try StreamServer()
        case .sqlite:
            try StreamServer(
                store: SQLiteStore(
                    SQLiteStoreConfiguration(path: "\(folder.path)/store"), log: StreamServer.log))
        }
    }

    /// Checks that the only event of a topic has a field in each form of event, and that a
    /// filter finds it by that.
    private static func expect(
        _ metadata: [MetadataField], of topic: String, at server: StreamServer
    ) throws {
        let client = try server.connect()
        func get(_ query: String, of selector: String) throws -> RawClient.Answer {
            try client.exchange("GET", "/topics/\(selector)?since=earliest&wait=0\(query)")
        }
        let poll = try get("", of: topic)
        let id = try #require(poll.header("event-id"))
        let single = try client.exchange("GET", "/topics/\(topic)/events/\(id)")
        let message = try webSocket(server, "/topics/\(topic)?since=earliest").next()
        guard case .text(let envelope) = message else {
            throw RawClient.Failure.malformed("\(message)")
        }
        let envelopes = [
            envelope, try get("&as=json", of: topic).text, try get("&as=ndjson", of: topic).text,
            try get("&as=sse&envelope=yes", of: topic).text,
        ]
        for field in MetadataField.allCases {
            let (wire, text) = (WireField.row(field), text(field))
            let isThere = metadata.contains(field)
            let header = isThere ? text : field == .contentType ? defaultType : nil
            #expect(poll.header("\(wire.header)") == header, "\(field)")
            #expect(single.header("\(wire.header)") == header, "\(field)")
            for envelope in envelopes {
                #expect(
                    envelope.contains("\"\(wire.member)\":\"\(text)\"") == isThere, "\(envelope)")
            }
        }
        for field in FilterField.allCases {
            let (filter, meant) = (WireFilter.row(field).name, field.field)
            let isThere = metadata.contains(meant)
            for (form, selector) in [("raw", topic), ("json", topic), ("ndjson", "\(topic),x")] {
                let one = try get("&as=\(form)&\(filter)=\(text(meant))", of: selector)
                #expect((one.text.contains("payload")) == isThere, "\(field) \(one.text)")
                let none = try get("&as=\(form)&\(filter)=other", of: selector)
                #expect(!none.text.contains("payload"), "\(field) \(none.text)")
            }
        }
        let stream = try get("&as=sse&named=yes", of: topic).text
        #expect(stream.contains("event: \(text(.type))\n") == metadata.contains(.type))
        #expect(!(try get("&as=sse", of: topic).text.contains("event:")))
    }

    /// Of a raw event without a Content-Type.
    private static let defaultType = "application/octet-stream"

    /// A socket of which the cursor it opens with was read.
    private static func webSocket(
        _ server: StreamServer, _ target: String
    ) throws -> WebSocketClient {
        let client = try server.connect()
        try client.send("GET", target, headers: WebSocketClient.handshake)
        let socket = try WebSocketClient(accepting: client)
        _ = try socket.next()
        return socket
    }

    @Test(
        "every form shows what a publish says, in the next life of the store too",
        arguments: Kind.allCases)
    func everyForm(kind: Kind) throws {
        let folder = TemporaryFolder(inMemory: true)
        var server = try Self.server(kind, in: folder)
        let client = try server.connect()
        let body = Array("payload".utf8)
        let byHeader = MetadataField.allCases.map {
            ("\(WireField.row($0).header)", Self.text($0))
        }
        var expected = [("all", MetadataField.allCases), ("none", [])]
        #expect(
            try client.exchange("POST", "/topics/all", headers: byHeader, body: body).status == 201)
        #expect(try client.exchange("POST", "/topics/none", body: body).status == 201)
        let socket = try Self.webSocket(server, "/topics/x")
        for field in MetadataField.allCases {
            guard let name = WireField.row(field).parameter else { continue }
            let text = Self.text(field)
            #expect(
                try client.exchange("POST", "/topics/query.\(name)?\(name)=\(text)", body: body)
                    .status == 201)
            try socket.send(
                .text(#"{"topic":"member.\#(name)","data":"payload","\#(name)":"\#(text)"}"#))
            guard case .text(let answer) = try socket.next() else { return }
            #expect(answer.hasPrefix("{\"id\":"), "\(answer)")
            expected += [("query.\(name)", [field]), ("member.\(name)", [field])]
        }
        for (topic, metadata) in expected { try Self.expect(metadata, of: topic, at: server) }
        guard kind == .sqlite else { return }
        server.drain()
        server.bus.close()
        server = try Self.server(kind, in: folder)
        for (topic, metadata) in expected { try Self.expect(metadata, of: topic, at: server) }
    }

    @Test(arguments: MetadataField.allCases)
    func aTextThatNoEventCanHaveIsRefusedByItsCodeWhereverItIsGiven(
        field: MetadataField
    ) throws {
        let wire = WireField.row(field)
        let server = try StreamServer()
        defer { withExtendedLifetime(server) {} }
        let client = try server.connect()
        let tooLong = String(repeating: "x", count: 256)
        func refusal(
            _ method: String, _ query: String, _ headers: [(String, String)] = []
        ) throws -> String {
            let answer = try client.exchange(
                method, "/topics/t?\(query)", headers: headers,
                body: method == "POST" ? [0x78] : nil)
            #expect(answer.status == 400)
            return answer.text
        }
        let header = "\(wire.header)"
        let code = EventMetadata.problem(of: field).rawValue
        #expect(try refusal("POST", "", [(header, tooLong)]).contains(code))
        #expect(
            try refusal("POST", "", [(header, "a"), (header, "a")]).contains("PARAMETER_REPEATED"))
        if let name = wire.parameter {
            #expect(try refusal("POST", "\(name)=\(tooLong)").contains(code))
            #expect(
                try refusal("POST", "\(name)=a", [(header, "b")]).contains("PARAMETER_REPEATED"))
        }
        for filter in FilterField.allCases where filter.field == field {
            let name = WireFilter.row(filter).name
            #expect(try refusal("GET", "\(name)=\(tooLong)").contains(code))
        }
    }

    @Test func pagesOfOtherOriginsMaySendAndReadTheHeaderOfEveryField() {
        let accepted = WireHeaders.accepted(for: nil).split(separator: ", ").map(String.init)
        let exposed = WireHeaders.exposedNames
        for field in MetadataField.allCases {
            let header = "\(WireField.row(field).header)"
            #expect(accepted.contains(header))
            // Browsers show that one of themselves.
            #expect(exposed.contains(header) == (header != "Content-Type"))
        }
    }

    @Test func aHeaderThatLooksLikeAFieldIsRefusedByItsNameAndTheListOfThem() throws {
        let server = try StreamServer()
        defer { withExtendedLifetime(server) {} }
        let answer = try server.connect().exchange(
            "POST", "/topics/t", headers: [("Event-Nothing", "x")], body: [0x78])
        #expect(answer.status == 400 && answer.text.contains("Event-Nothing"))
        for field in WireField.own {
            #expect(answer.text.contains("\(WireField.row(field).header)"))
        }
    }

    @Test func everyFormShowsTheEndOfATimeToLive() throws {
        let server = try StreamServer()
        let client = try server.connect()
        let before = server.bus.now
        // The second of two requests that are alike is read in part: its time counts all the same.
        var expiries: [Timestamp] = []
        for _ in 0..<3 {
            let answer = try client.exchange("POST", "/topics/t?ttl=1h30m", body: [0x78])
            #expect(answer.status == 201)
            let id = try #require(answer.header("event-id"))
            let event = try client.exchange("GET", "/topics/t/events/\(id)")
            let expires = try #require(event.header("event-expires"))
            expiries.append(try #require(Timestamp(rfc3339: expires)))
            let envelope = try client.exchange("GET", "/topics/t?since=latest&as=json&wait=0").text
            #expect(envelope.contains("\"expires\":\"\(expires)\",\"data\":\"x\""))
        }
        let after = server.bus.now
        let ttl: Int64 = 5_400_000_000
        #expect(
            expiries.allSatisfy {
                before.advanced(microseconds: ttl) <= $0 && $0 <= after.advanced(microseconds: ttl)
            })
        #expect(Set(expiries).count == 3)
        for text in ["0s", "999ms", "366d", "none", "x"] {
            let answer = try client.exchange("POST", "/topics/t?ttl=\(text)", body: [0x78])
            #expect(answer.status == 400 && answer.text.contains("PARAMETER_INVALID"))
        }
        let plain = try client.exchange("POST", "/topics/t", body: [0x78])
        let id = try #require(plain.header("event-id"))
        let event = try client.exchange("GET", "/topics/t/events/\(id)")
        #expect(event.header("event-expires") == nil)
    }
}
