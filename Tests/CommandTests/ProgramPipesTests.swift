import Glibc
import TestSupport
import Testing

@testable import belfry

@Suite(.blocking) struct ProgramPipesTests {
    /// Runs a script without input, and returns what it wrote.
    ///
    /// - Parameter first: Called with its process id when its first bytes were read.
    private func output(
        of script: String, leftBehind: Duration, first: (pid_t) -> Void = { _ in }
    ) throws -> String {
        let (pid, ends) = try ProgramStart(
            words: ["sh", "-c", script], piped: [STDIN_FILENO, STDOUT_FILENO]
        ).start()
        var pipes = ProgramPipes(ends, of: pid, leftBehind: leftBehind)
        var (bytes, goneCount) = ([UInt8](), 0)
        let ending = pipes.run(
            writing: UnsafeRawBufferPointer(start: nil, count: 0), gone: { goneCount += 1 }
        ) { _, more in
            if bytes.isEmpty { first(pid) }
            bytes.append(contentsOf: more)
            return true
        }
        #expect(ending == .exited(0) && goneCount == 1)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func whatWasLeftBehindIsHeardForATime() throws {
        // It writes when the program is waited for no more.
        let script = "p=$$; (while kill -0 $p; do :; done 2>&-; echo late) & echo early"
        #expect(try output(of: script, leftBehind: .seconds(60)) == "early\nlate\n")
    }

    @Test func whatWritesForEverIsNotHeardForEver() throws {
        let read = try output(of: "yes & echo done", leftBehind: .zero)
        #expect(read.contains("done\n"))
    }

    @Test func whatAProgramWroteIsReadWholeWithoutATimeForOthers() throws {
        let folder = TemporaryFolder()
        // The last of it is less than a pipe holds, and is read when the program has ended. `cat`
        // keeps the output open meanwhile.
        let script = """
            exec 3<&0; cat <&3 & echo first; until [ -e '\(folder.path)/read' ]; do :; done
            head -c 60000 /dev/zero | tr '\\0' x
            """
        let read = try output(of: script, leftBehind: .zero) { pid in
            folder.write("", to: "read")
            while !ProgramWatch.hasEnded(pid) {}
        }
        #expect(read == "first\n" + String(repeating: "x", count: 60_000))
    }

    @Test func aProgramThatClosesItsOutputIsWaitedFor() throws {
        let folder = TemporaryFolder()
        let script = "exec >&-; n=0; while [ $n -lt 20000 ]; do n=$((n + 1)); done; : >"
        #expect(try output(of: "\(script)'\(folder.path)/end'", leftBehind: .zero) == "")
        #expect(access("\(folder.path)/end", F_OK) == 0)
    }
}
