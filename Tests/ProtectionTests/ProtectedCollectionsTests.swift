import Protection
import TestSupport
import Testing

@Suite(.blocking) struct ProtectedCollectionsTests {
    @Test func appendAddsAtTheEnd() {
        let numbers = Protected([1])
        numbers.append(2)
        numbers.append(contentsOf: 3...4)
        numbers.append(contentsOf: [])
        #expect(numbers.value == [1, 2, 3, 4])
        let text = Protected("a")
        text.append("b")
        text.append(contentsOf: "cd")
        #expect(text.value == "abcd")
    }

    @Test func appendToNoBufferMakesOne() {
        let bytes = Protected<[UInt8]?>(nil)
        bytes.append(1)
        bytes.append(2)
        bytes.append(contentsOf: [3, 4] as ContiguousArray)
        #expect(bytes.value == [1, 2, 3, 4])
    }

    @Test func appendOfBytesInMemoryToNoBufferMakesOne() {
        let bytes = Protected<[UInt8]?>(nil)
        ([7, 8, 9] as [UInt8]).withUnsafeBytes { bytes.append(contentsOf: $0) }
        #expect(bytes.value == [7, 8, 9])
    }

    @Test func appendOfNothingToNoBufferMakesAnEmptyOne() {
        let bytes = Protected<[UInt8]?>(nil)
        bytes.append(contentsOf: [])
        #expect(bytes.value == [])
    }

    @Test func aSequenceIsReadOutsideTheLockSoItMayUseTheValue() {
        let numbers = Protected([1, 2])
        numbers.append(
            contentsOf: sequence(state: 0) { _ in numbers.count < 3 ? 1 : nil }.prefix(2))
        #expect(numbers.value == [1, 2, 1, 1])
        let bytes = Protected<[UInt8]?>([5])
        bytes.append(contentsOf: (0..<2).lazy.map { _ in bytes.value?.first ?? 0 })
        #expect(bytes.value == [5, 5, 5])
    }

    @Test func whatOneCallAppendsStaysTogether() throws {
        let numbers = Protected<[Int]?>(nil)
        try inParallel(8) { index in
            for _ in 0..<200 { numbers.append(contentsOf: repeatElement(index, count: 3)) }
        }
        let all = try #require(numbers.value)
        #expect(all.count == 8 * 200 * 3)
        for start in stride(from: 0, to: all.count, by: 3) {
            #expect(all[start] == all[start + 1] && all[start] == all[start + 2])
        }
    }
}
