import Testing

@testable import BusAPI

@Suite struct LineSplitterTests {
    @Test(
        "a line ends at LF or CRLF, and empty lines are none",
        arguments: [
            ("", []), ("\n", []), ("\r\n\r\n\n", []), ("a", ["a"]), ("a\n", ["a"]),
            ("a\r\nb\nc", ["a", "b", "c"]), ("a\n\n\nb", ["a", "b"]), ("a\rb\r\n", ["a\rb"]),
            ("a\r", ["a\r"]), ("\r\r\n", ["\r"]), (" \n\t\n", [" ", "\t"]),
            ("a\u{0}b\nc", ["a\u{0}b", "c"]),
        ] as [(String, [String])])
    func splits(body: String, lines: [String]) {
        let found = Array(body.utf8).withUnsafeBytes { bytes in
            LineSplitter(bytes).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(found == lines)
    }
}
