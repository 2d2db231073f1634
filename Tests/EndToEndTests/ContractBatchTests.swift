import Glibc
import TestSupport
import Testing

/// `POST …?split=lines`: one event a line, all of them or none.
@Suite(.blocking) struct ContractBatchTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 1K\n")
        client = try daemon.connect()
    }

    private func post(
        _ body: String, to topic: String = "t", query: String = "",
        headers: [(String, String)] = []
    ) throws -> RawClient.Answer {
        try client.exchange(
            "POST", "/topics/\(topic)?split=lines\(query)", headers: headers,
            body: Array(body.utf8), within: 30)
    }

    /// What the topic retains, raw event by raw event along the cursor.
    private func retained(_ topic: String = "t") throws -> [RawClient.Answer] {
        var events: [RawClient.Answer] = []
        var cursor = "earliest"
        while true {
            let answer = try client.get("/topics/\(topic)?wait=0&since=\(cursor)")
            guard answer.status == 200 else { return events }
            events.append(answer)
            cursor = try #require(answer.header("event-cursor"))
        }
    }

    /// `curl -d @-` takes the line ends out, and calls what is left a form.
    @Test func aBatchThatLostItsLineEndsIsToldSo() throws {
        let form = [("Content-Type", "application/x-www-form-urlencoded")]
        let joined = try post("onetwothree", headers: form)
        #expect(joined.status == 201 && joined.text.contains("\"count\":1,"))
        #expect(joined.member("hint")?.contains("--data-binary") == true, "\(joined.text)")
        let again = try post("onetwo", headers: form)
        #expect(again.member("hint") == joined.member("hint"))
        for (body, headers) in [
            ("one\ntwo\n", form), ("one\n", form), ("one", [("Content-Type", "text/plain")]),
            ("one", []), ("", form),
        ] as [(String, [(String, String)])] {
            let answer = try post(body, headers: headers)
            #expect(!answer.text.contains("hint"), "\(body): \(answer.text)")
        }
        let one = try client.exchange("POST", "/topics/t", headers: form, body: [0x78])
        #expect(!one.text.contains("hint"))
    }

    @Test func anEventThatWasProbablyMeantOtherwiseIsToldSo() throws {
        let form = "application/x-www-form-urlencoded"
        let line = [UInt8](repeating: 0x78, count: 256)
        for (type, body, word) in [
            (form, line, "--data-binary"),
            ("multipart/form-data; boundary=b", [0x78], "boundaries"),
            (form, line.dropLast(), nil), (form, line + [0x0A], nil), (form, [0x7B] + line, nil),
            ("text/plain", line, nil), ("text/plain", [], nil),
        ] as [(String, [UInt8], String?)] {
            let headers = [("Content-Type", type)]
            // The second of two is read as a request whose head is known.
            for _ in 0..<2 {
                let answer = try client.exchange("POST", "/topics/t", headers: headers, body: body)
                #expect(answer.status == 201)
                let hint = answer.member("hint")
                #expect(word.map { hint?.contains($0) == true } ?? (hint == nil), "\(answer.text)")
            }
        }
        try client.send("POST /topics/t HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let empty = try client.readAnswer()
        #expect(empty.status == 201 && empty.member("hint")?.contains("curl -d TEXT") == true)
    }

    @Test func aNewTopicBesideOneOfOtherCapitalsIsToldOnce() throws {
        for (old, new) in [("hints.a", "Hints.a"), ("Hints.b", "hints.b"), ("HINTS.C", "hints.c")] {
            let first = try client.exchange("POST", "/topics/\(old)", body: [0x78])
            #expect(first.status == 201 && first.member("hint") == nil)
            let second = try client.exchange("POST", "/topics/\(new)", body: [0x78])
            #expect(second.member("hint")?.contains("There is also \(old):") == true)
            let third = try client.exchange("POST", "/topics/\(new)", body: [0x78])
            #expect(third.member("hint") == nil)
        }
    }

    @Test(arguments: [
        ("one\ntwo\n", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("one\n\n\r\ntwo", ["one", "two"]),
        ("no end", ["no end"]),
        ("lone\rCR stays\n\rfirst\n", ["lone\rCR stays", "\rfirst"]),
        ("twice\r\r\n", ["twice\r"]),
        ("  blanks stay \n\t\n", ["  blanks stay ", "\t"]),
        ("the last CR\r", ["the last CR\r"]),
    ])
    func everyLineIsAnEvent(body: String, lines: [String]) throws {
        let answer = try post(body)
        #expect(answer.status == 201)
        let events = try retained()
        #expect(events.map(\.text) == lines)
        let ids = events.compactMap { $0.number("event-id") }
        #expect(ids == ids.sorted() && Set(ids).count == lines.count)
        #expect(
            answer.text == """
                {"first":"\(ids.first ?? 0)","last":"\(ids.last ?? 0)",\
                "count":\(lines.count),"topic":"t"}

                """)
    }

    @Test func typeAndKeyApplyToEachAndNDJSONIsJSON() throws {
        let answer = try post(
            "{\"a\":1}\n[2]\n", query: "&type=made",
            headers: [
                ("Content-Type", "application/x-ndjson; charset=utf-8"), ("Event-Key", "k"),
            ])
        #expect(answer.status == 201)
        for event in try retained() {
            #expect(event.header("content-type") == "application/json")
            #expect(event.header("event-type") == "made")
            #expect(event.header("event-key") == "k")
        }
    }

    /// As of a single event that says of itself that it is JSON.
    @Test func aLineOfNDJSONThatIsNoJSONIsKeptAndGivenAsAString() throws {
        let headers = [("Content-Type", "application/x-ndjson")]
        #expect(try post("{\"a\": 1}\nplain \"text\"\n{\n", headers: headers).status == 201)
        #expect(try retained().map(\.text) == ["{\"a\": 1}", "plain \"text\"", "{"])
        let listed = try client.get("/topics/t?since=earliest&as=json").text
        for data in ["{\"a\":1}", "\"plain \\\"text\\\"\"", "\"{\""] {
            #expect(listed.contains("\"data\":\(data),"), "\(listed)")
        }
    }

    @Test(arguments: ["", "\n", "\r\n\n\r\n"])
    func aBodyWithoutLinesMakesNothing(body: String) throws {
        let answer = try post(body)
        #expect(answer.status == 200)
        #expect(answer.text == "{\"count\":0}\n")
        #expect(try client.exchange("HEAD", "/topics/t").status == 404)
    }

    @Test func tenThousandLinesAreTheMost() throws {
        let line = "0123456789\n"
        let answer = try post(String(repeating: line, count: 10_001))
        #expect(answer.status == 413)
        #expect(answer.member("code") == "BATCH_TOO_LARGE")
        #expect(try client.exchange("HEAD", "/topics/t").status == 404)
        #expect(try post(String(repeating: line, count: 10_000)).status == 201)
        #expect(try client.exchange("HEAD", "/topics/t").header("event-count") == "10000")
    }

    @Test func oneLineTooLongKeepsOutTheWholeBatch() throws {
        let long = String(repeating: "x", count: 1025)
        let answer = try post("good\n\nfine\n\(long)\nlast\n")
        #expect(answer.status == 413)
        #expect(answer.member("code") == "EVENT_TOO_LARGE")
        #expect(answer.member("detail")?.contains("3") == true, "\(answer.text)")
        #expect(try client.exchange("HEAD", "/topics/t").status == 404)
        #expect(try post("good\n\(long.dropLast())\n").status == 201)
    }

    @Test func sixteenMebibytesAreTheMost() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 4M\n")
        let line = [UInt8](repeating: 0x78, count: (4 << 20) - 1) + [0x0A]
        let most = line + line + line + line
        for (topic, body, status) in [("u", most, 201), ("v", most + [0x0A], 413)] {
            let client = try daemon.connect()
            let head =
                "POST /topics/\(topic)?split=lines HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: \(body.count)\r\n\r\n"
            try client.send(Array(head.utf8) + body, within: 60)
            let answer = try client.readAnswer(within: 60)
            #expect(answer.status == status)
            #expect(status == 201 || answer.member("code") == "BATCH_TOO_LARGE")
            let standing = try daemon.connect().exchange("HEAD", "/topics/\(topic)")
            #expect(standing.header("event-count") == (status == 201 ? "4" : nil))
        }
    }
}
