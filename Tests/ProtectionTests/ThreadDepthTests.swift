import Protection
import TestSupport
import Testing

@Suite(.blocking) struct ThreadDepthTests {
    private struct Refused: Error {}

    private static let depth = ThreadDepth()
    private static let other = ThreadDepth()

    @Test func aThreadIsInsideUntilTheOutermostBlockIsOver() {
        #expect(!Self.depth.isInside)
        Self.depth.inside {
            Self.depth.inside { #expect(Self.depth.isInside) }
            #expect(Self.depth.isInside)
            #expect(!Self.other.isInside)
        }
        #expect(!Self.depth.isInside)
    }

    @Test func aBlockThatThrowsIsOverToo() {
        #expect(throws: Refused.self) { try Self.depth.inside { throw Refused() } }
        #expect(!Self.depth.isInside)
    }

    @Test func whatOneThreadIsInsideOfAnotherIsNot() throws {
        let (inside, looked) = (Gate(), Gate())
        try inParallel(2) { index in
            if index == 0 {
                Self.depth.inside {
                    inside.open()
                    #expect(throws: Never.self) { try looked.wait() }
                    #expect(Self.depth.isInside)
                }
            } else {
                try inside.wait()
                #expect(!Self.depth.isInside)
                looked.open()
            }
        }
        #expect(looked.isOpen)
    }
}
