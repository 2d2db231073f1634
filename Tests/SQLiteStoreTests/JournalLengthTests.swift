import Testing

@testable import SQLiteStore

/// How long the journal is, by the pages of commits alone.
struct JournalLengthTests {
    private static let kept = Limits.journalBytesMax

    private func bytes(_ pages: Int) -> Int { 32 + pages * (24 + 4_096) }

    @Test func itGrowsWithCommitsAndIsCutWhereItBeginsAnew() {
        var length = JournalLength(bytes: 0, pageBytes: 4_096)
        for pages in [3, 7, 20_000] {
            length.committed(pages: pages)
            #expect(length.bytes == bytes(pages))
        }
        for pages in [2, 900] {
            length.committed(pages: pages)
            #expect(length.bytes == Self.kept)
        }
        length.committed(pages: 9_000)
        #expect(length.bytes == bytes(9_000))
        // The commit that begins anew may itself be longer than what is kept.
        length.committed(pages: 5_000)
        #expect(length.bytes == bytes(5_000))
    }

    @Test func whatAnotherLifeLeftCountsUntilItBeginsAnew() {
        let left = bytes(15_000)
        for (pages, expected) in [(15_001, bytes(15_001)), (4, Self.kept)] {
            var length = JournalLength(bytes: left, pageBytes: 4_096)
            #expect(length.bytes == left)
            length.committed(pages: pages)
            #expect(length.bytes == expected)
        }
    }

    @Test func oneThatWasEmptiedTakesNothing() {
        var length = JournalLength(bytes: 0, pageBytes: 4_096)
        length.committed(pages: 50)
        length.emptied()
        #expect(length.bytes == 0)
        length.committed(pages: 2)
        #expect(length.bytes == bytes(2))
    }
}
