import Testing

@testable import HTTPFront

/// What is known of a libmicrohttpd by its version; the tests of the server see the loaded one.
struct ParserLibraryTests {
    @Test func theVersionIsReadAsTheLibrarySaysIt() {
        #expect(ParserLibrary("0.9.75") == ParserLibrary(major: 0, minor: 9))
        #expect(ParserLibrary("1.0.1") == ParserLibrary(major: 1, minor: 0))
        #expect(ParserLibrary("1.0") == ParserLibrary(major: 1, minor: 0))
        for text in ["", "1", "x.y", "v1.0", "1.", ".9"] { #expect(ParserLibrary(text) == nil) }
    }

    @Test(arguments: [(0, false), (1, true), (2, true)])
    func oneOfBothWaysIsTakenOfEachVersion(major: Int, isRewritten: Bool) {
        let library = ParserLibrary(major: major, minor: 0)
        #expect(library.queuesAddedConnections == isRewritten)
    }

    @Test func theLoadedOneIsKnown() {
        #expect((0...1).contains(ParserLibrary.loaded.major))
    }
}
