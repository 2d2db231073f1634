import TestSupport
import Testing

/// What a program behind `--` reads from its standard input.
@Suite(.blocking) struct ProgramInputTests {
    private static let lines = #"while read -r line; do echo "got $line"; done"#

    @Test(
        arguments: [
            ["sub", "t", "--since", "earliest", "--max", "1", "--"],
            ["sub", "t", "--since", "earliest", "--max", "1", "--parallel", "2", "--"],
            ["work", "g", "t", "--max", "1", "--"],
        ])
    func aProgramThatReadsLinesReadsAText(words: [String]) throws {
        let rig = try CommandRig()
        try rig.run("pub", "t", "one")
        let outcome = try CommandRig.outcome(
            of: try rig.start(words + ["sh", "-c", Self.lines]))
        #expect(outcome == .init(code: 0, output: "got one\n", errors: ""))
    }

    @Test func aProgramThatAnswersReadsLinesToo() throws {
        let rig = try CommandRig()
        let worker = try rig.start(
            "answer", "g", "t", "--max", "1", "--", "sh", "-c", Self.lines)
        while try !rig.run("group", "show", "g", "--json").output.contains(#""workers":1"#) {}
        let asked = try rig.run("ask", "t", "one", "--timeout", "1m")
        #expect(asked == .init(code: 0, output: "got one\n", errors: ""))
        #expect(try worker.wait() == .exited(0))
    }

    @Test(
        arguments: [
            ([UInt8]("one".utf8), "6f6e650a"), ([UInt8]("one\n".utf8), "6f6e650a"),
            ([UInt8]("a\nb".utf8), "610a620a"), ([UInt8]("é".utf8), "c3a90a"),
            ([UInt8]("a\r\n".utf8), "610d0a"), ([], ""), ([0xFF, 0x61], "ff61"),
            ([0x61, 0xC3], "61c3"), ([0x00, 0x61], "0061"), ([0x61, 0x00], "6100"),
        ] as [([UInt8], String)])
    func aLineEndStandsBehindATextAlone(payload: [UInt8], wanted: String) throws {
        let rig = try CommandRig()
        let publisher = try rig.start("pub", "t")
        try publisher.write(payload)
        #expect(try publisher.wait() == .exited(0))
        let read = { (options: [String]) in
            try CommandRig.outcome(
                of: try rig.start(
                    ["sub", "t", "--since", "earliest", "--max", "1"] + options + [
                        "--", "sh", "-c", "od -An -v -tx1 | tr -d ' \\n'; echo",
                    ])
            ).output
        }
        #expect(try read([]) == wanted + "\n")
        let bare = payload.map { String(0x100 + UInt16($0), radix: 16).dropFirst() }.joined()
        #expect(try read(["--raw"]) == bare + "\n")
    }

    /// One as large as events get, read in many parts.
    @Test func theLineEndIsBehindTheLastByteOfALargeText() throws {
        let rig = try CommandRig()
        try rig.run("pub", "t", input: String(repeating: "x", count: 1_000_000))
        let outcome = try rig.run(
            "sub", "t", "--since", "earliest", "--max", "1", "--", "sh", "-c",
            "wc -lc | tr -s ' ' ' '")
        #expect(outcome.output == " 1 1000001\n", "\(outcome)")
    }
}
