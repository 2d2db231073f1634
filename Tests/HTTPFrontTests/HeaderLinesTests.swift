import JSON
import Testing

@testable import HTTPFront

@Suite struct HeaderLinesTests {
    @Test func fieldsAreWrittenAsLines() {
        var lines: HeaderLines = [("Link", "<http://a:1/?b=c>; rel=\"next\""), ("X-Empty", "")]
        lines.add("Event-ID") { $0.append(decimal: UInt64.max) }
        lines.add(contentsOf: [("Vary", "Accept, Origin")])
        #expect(
            String(decoding: lines.bytes, as: UTF8.self)
                == "Link: <http://a:1/?b=c>; rel=\"next\"\r\nX-Empty: \r\n"
                + "Event-ID: 18446744073709551615\r\nVary: Accept, Origin\r\n")
        #expect(([] as HeaderLines).bytes.isEmpty)
    }

    @Test func noByteOfAValueEndsItsLine() {
        for byte in UInt8.min...0x7F {
            var lines: HeaderLines = [("X-First", "1")]
            lines.add(
                "X", String(decoding: [UInt8(ascii: "a"), byte, UInt8(ascii: "b")], as: UTF8.self))
            lines.add("X-Last", "2")
            let isControl = byte < 0x20 || byte == 0x7F
            let expected = Array("X: a".utf8) + [isControl ? 0x20 : byte] + Array("b\r\n".utf8)
            #expect(
                lines.bytes == Array("X-First: 1\r\n".utf8) + expected + Array("X-Last: 2\r\n".utf8)
            )
        }
    }

    @Test(arguments: [0, 9, 10, 1_000_000, .max, -1, .min])
    func numbersAreWrittenAsStringsOfThemAre(number: Int) {
        var text: [UInt8] = []
        text.append(decimal: number)
        #expect(String(decoding: text, as: UTF8.self) == number.description)
    }
}
