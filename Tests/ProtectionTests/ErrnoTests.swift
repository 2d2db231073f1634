import Glibc
import Protection
import Testing

@Suite struct ErrnoTests {
    @Test func anErrorSaysWhatTheSystemDoes() {
        #expect("\(Errno(ENOENT))" == "No such file or directory")
        #expect("\(Errno(1_000_000))".contains("1000000"))
    }

    @Test func theLastFailureIsThatOfThisThread() {
        #expect(close(-1) == -1)
        #expect(Errno.last == Errno(EBADF))
    }
}
