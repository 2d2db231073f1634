import Testing

@testable import HTTPFront

@Suite struct HeaderFoldingTests {
    /// Lays `text` out as libmicrohttpd's buffer and points at a name and a value in it.
    private func isFolded(_ text: String, name: Range<Int>, value: Int) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes {
            HeaderFolding.isFolded(
                nameBase: $0.baseAddress! + name.lowerBound, nameCount: name.count,
                valueBase: $0.baseAddress! + value)
        }
    }

    @Test func headersOnOneLineAreNotFolded() {
        #expect(!isFolded("Host\0 localhost\0\0", name: 0..<4, value: 6))
        #expect(!isFolded("Host\0localhost\0\0", name: 0..<4, value: 5))
        #expect(!isFolded("X\0 \t \tv\0\0", name: 0..<1, value: 6))
        #expect(!isFolded("X\0\0\0", name: 0..<1, value: 2))
    }

    @Test func aNameThatMovedBehindItsValueIsFolded() {
        #expect(isFolded("X\0 a\0\0 folded\0Xfolded\0", name: 15..<22, value: 3))
    }

    @Test func aNameThatMovedBeforeItsValueIsFolded() {
        #expect(isFolded("Xfolded\0Y\0 b\0\0X\0 a\0\0", name: 0..<7, value: 17))
    }
}
