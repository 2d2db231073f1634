import TestSupport
import Testing

@Suite(.blocking) struct AttributeCommandTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func attributesAreKeptShownAndFilteredBy() throws {
        let rig = try CommandRig()
        let published = try rig.run(
            "pub", "a", "one", "--attribute", "host=web1", "--attribute=note= ä=b 50% ")
        #expect(published == .init(code: 0, output: "", errors: ""))
        try rig.run("pub", "a", "two", "--attribute", "host=web2")
        try rig.run("pub", "a", "--lines", "--attribute", "host=web3", input: "3\n4\n")
        let events = try rig.events(of: "a", "--json")
        #expect(
            events[0].contains(#""attributes":{"host":"web1","note":" ä=b 50% "},"data":"one""#))
        #expect(events.suffix(2).allSatisfy { $0.contains(#""attributes":{"host":"web3"}"#) })
        func found(_ filters: String...) throws -> String {
            let child = try rig.start(
                [
                    "sub", "a", "--since", "earliest", "--until-now", "--format",
                    "{attribute.host} {data}",
                ]
                    + filters)
            return try CommandRig.outcome(of: child).output
        }
        #expect(try found("--attribute", "host=web1") == "web1 one\n")
        #expect(try found("--attribute", "host=web3") == "web3 3\nweb3 4\n")
        #expect(
            try found("--attribute", "host=web1", "--attribute", "note= ä=b 50% ") == "web1 one\n")
        #expect(try found("--attribute", "host=web2", "--attribute", "note=x") == "")
        let waited = try rig.run(
            "wait", "a", "--since", "earliest", "--attribute", "host=web2", "--data")
        #expect(waited.output == "two\n")
    }

    @Test(arguments: [
        ("host", "is no NAME=VALUE"), ("=x", "is no name"), ("Host=x", "is no name"),
        ("host=", "0 bytes"), ("deadid=1", "the bus's own"),
    ])
    func anAttributeThatIsNoneIsUsage(word: String, sentence: String) throws {
        let rig = try CommandRig()
        let outcome = try rig.run("pub", "a", "x", "--attribute", word)
        #expect(outcome.code == 2 && outcome.errors.contains(sentence), "\(outcome)")
        let twice = try rig.run("pub", "a", "x", "--attribute", "a=1", "--attribute", "a=1")
        #expect(twice.code == 2 && twice.errors.contains("given twice"))
        #expect(try rig.run("pub", "a", "x", "--key", "a", "--key", "a").code == 2)
        #expect(try rig.events(of: "a") == [])
    }

    @Test func aProgramHasTheAttributesOfItsEventAndOfNoOtherOne() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "x", "--attribute", "host=web1")
        let script = "env | grep -e ^BELFRY_ATTR -e ^TRACE | sort"
        let outer = ["BELFRY_ATTRIBUTE_OTHER": "outer", "TRACESTATE": "outer=1"]
        let plain = try rig.run(
            "sub", "a", "--since", "earliest", "--max", "1", "--", "sh", "-c", script,
            variables: outer)
        #expect(plain.output == "BELFRY_ATTRIBUTE_HOST=web1\nTRACESTATE=outer=1\n")
        try rig.run("pub", "b", "x", variables: ["TRACEPARENT": Self.parent])
        let traced = try rig.run(
            "sub", "b", "--since", "earliest", "--max", "1", "--", "sh", "-c", script,
            variables: outer)
        #expect(
            traced.output
                == "BELFRY_ATTRIBUTE_TRACEPARENT=\(Self.parent)\nTRACEPARENT=\(Self.parent)\n")
        let work = try rig.run("work", "g", "a", "--until-empty", "--", "sh", "-c", script)
        #expect(work.output == "BELFRY_ATTRIBUTE_HOST=web1\n")
    }

    @Test func aGroupOfAttributesIsMadeAndShown() throws {
        let rig = try CommandRig()
        let made = try rig.run(
            "group", "set", "g", "--of", "jobs", "--attribute", "host=web1", "--attribute", "a=b=c")
        #expect(made == .init(code: 0, output: "", errors: ""))
        let shown = try rig.run("group", "show", "g").output
        #expect(shown.contains("\nattributes  a=b=c, host=web1\n"), "\(shown)")
        let json = try rig.run("group", "show", "g", "--json").output
        #expect(json.contains(#""attributes":{"a":"b=c","host":"web1"}"#), "\(json)")
        try rig.run("pub", "jobs", "no")
        try rig.run("pub", "jobs", "yes", "--attribute", "host=web1", "--attribute", "a=b=c")
        #expect(try rig.run("work", "g", "--until-empty", "--", "cat").output == "yes\n")
    }

    @Test func aTraceIsHandedOnAndAMalformedOneIsNot() throws {
        let rig = try CommandRig()
        let variables = ["TRACEPARENT": Self.parent, "TRACESTATE": "a=1"]
        try rig.run("pub", "jobs", "x", variables: variables)
        try rig.run("work", "g", "jobs", "--until-empty", "--output", "out", "--", "cat")
        let attributes = #""attributes":{"traceparent":"\#(Self.parent)","tracestate":"a=1"}"#
        #expect(try rig.events(of: "jobs", "--json")[0].contains(attributes))
        #expect(try rig.events(of: "out", "--json")[0].contains(attributes))
        #expect(try rig.run("pub", "bad", "x", variables: ["TRACEPARENT": "00-1"]).code == 0)
        #expect(!(try rig.events(of: "bad", "--json")[0].contains("attributes")))
    }

    @Test func bothEventsOfARunHaveOneIdAndOtherRunsHaveOthers() throws {
        let rig = try CommandRig()
        for _ in 0..<2 {
            let run = try rig.run(
                "run", "cron", "--", "true", variables: ["TRACEPARENT": Self.parent])
            #expect(run.code == 0)
        }
        let ids = try rig.run(
            "sub", "cron", "--since", "earliest", "--until-now", "--format", "{attribute.run}"
        ).output.split(separator: "\n")
        #expect(ids.count == 4 && ids[0] == ids[1] && ids[2] == ids[3] && ids[1] != ids[2])
        let traced = try rig.run(
            "sub", "cron", "--since", "earliest", "--until-now", "--data", "--attribute",
            "traceparent=\(Self.parent)")
        #expect(traced.output.split(separator: "\n").count == 4)
    }

    @Test func aCopyHasTheAttributesOfPublishersAndSaysThatOthersStayBehind() throws {
        let (from, to) = (try CommandRig(), try CommandRig())
        try from.run("group", "set", "g", "--of", "jobs", "--dead", "failed")
        try from.run("pub", "jobs", "x", "--attribute", "host=web1")
        try from.run("work", "g", "--max", "1", "--", "sh", "-c", "exit 65")
        let copy = try from.run("copy", from.daemon.socketPath, to.daemon.socketPath)
        #expect(
            copy.code == 0 && copy.errors.contains("attributes of the bus stay behind"), "\(copy)")
        for topic in ["jobs", "failed"] {
            let event = try #require(try to.events(of: topic, "--json").first)
            #expect(event.contains(#""attributes":{"host":"web1"},"data":"x""#), "\(event)")
        }
    }
}
