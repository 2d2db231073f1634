import Glibc
import Protection
import Testing

/// A plain thread that owns what it runs.
@Suite struct OwnedThreadTests {
    private final class Work: ThreadWork {
        let seen: Protected<Seen>

        init(_ seen: Protected<Seen>) { self.seen = seen }

        deinit { seen.write { $0.isReleased = true } }

        func run() {
            let mask = Self.mask()
            seen.write {
                $0.thread = pthread_self()
                $0.blocked = mask
            }
        }

        /// The signals of 1 to 31 that the calling thread blocks.
        static func mask() -> Set<Int32> {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            return Set((1...31).filter { sigismember(&mask, $0) == 1 })
        }
    }

    struct Seen {
        var thread: pthread_t = 0
        var blocked: Set<Int32> = []
        var isReleased = false
    }

    @Test func itRunsItsWorkToTheEndAndReleasesIt() throws {
        let seen = Protected(Seen())
        let thread = try OwnedThread(running: Work(seen))
        thread.join()
        #expect(seen.value.isReleased)
        #expect(seen.value.thread != 0 && seen.value.thread != pthread_self())
    }

    @Test func itBlocksEverySignalButThoseOfACrashAndNobodyElseDoes() throws {
        let before = Work.mask()
        let seen = Protected(Seen())
        try OwnedThread(running: Work(seen)).join()
        #expect(Work.mask() == before)
        let blocked = seen.value.blocked
        let crashes: Set = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT]
        #expect(blocked.isDisjoint(with: crashes))
        #expect(blocked == Set(1...31).subtracting(crashes).subtracting([SIGKILL, SIGSTOP]))
    }
}
