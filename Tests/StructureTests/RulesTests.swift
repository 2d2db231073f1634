import Testing

@Suite struct RulesTests {
    private func file(_ text: String, at path: String = "Sources/Libraries/Topics/Sample.swift")
        -> SourceFile
    {
        SourceFile(path: path, text: text)
    }

    private func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }

    @Test(arguments: [
        "final class A: @unchecked Sendable {}",
        "// A reason too far away.\n\nfinal class A: @unchecked Sendable {}",
        "/// What it is.\nfinal class A: @unchecked Sendable {}",
        "nonisolated(unsafe) var a = 1 // behind",
        "let a = Unmanaged.passRetained(b)",
        "// Some reason.\nlet a = 1\nlet b = Unmanaged.passRetained(c)",
        "// What it does.\nfunc a() {\n    Unmanaged.passRetained(b)\n}",
        "// Unmanaged: held.\nfunc a() {\n    let b = 1\n    Unmanaged.passRetained(b)\n}",
        "/* A reason. */ let a = Unmanaged.passRetained(b)",
        "let text = \"// Unmanaged\"\nlet a = Unmanaged.passRetained(b)",
    ])
    func anEscapeWithoutReasonIsFound(text: String) {
        let last = text.split(separator: "\n", omittingEmptySubsequences: false)
            .lastIndex {
                $0.contains("@unchecked") || $0.contains("nonisolated") || $0.contains("Unmanaged.")
            }
        #expect(lines(Rules.reasons(in: file(text))) == [last.map { $0 + 1 }])
    }

    @Test(arguments: [
        "// Guarded by the lock.\nfinal class A: @unchecked Sendable {}",
        "/// What it is.\n///\n/// `@unchecked` because of the lock.\nfinal class A: @unchecked Sendable {}",
        "/// What it is.\n// Guarded.\nfinal class A: @unchecked Sendable {}",
        "    // Only its loop\n    // touches it.\n    nonisolated(unsafe) let a = self",
        "// Unmanaged: borrowed.\nfunc a() {\n    Unmanaged.passUnretained(b)\n}",
        "// Unmanaged is only spoken of.\nlet a = \"Unmanaged nonisolated(unsafe)\"",
    ])
    func anEscapeWithItsReasonIsFine(text: String) {
        #expect(Rules.reasons(in: file(text)) == [])
    }

    @Test(arguments: [
        "sleep(1)", "usleep(1_000)", "nanosleep(&time, nil)", "clock_nanosleep(a, b, c, d)",
        "try await Task.sleep(for: .seconds(1))", "Thread.sleep(forTimeInterval: 1)",
        "try await clock.sleep(until: end)", "let wait = Task.sleep",
        "let text = \"\\(sleep(1))\"",
    ])
    func aSleepIsFound(text: String) {
        #expect(lines(Rules.sleeps(in: file("let a = 1\n\(text)", at: "Tests/A/B.swift"))) == [2])
    }

    @Test(arguments: [
        "// sleep(1)", "let text = \"usleep(1)\"", "let asleep = isAsleep()", "sleeps(a)",
    ])
    func whatDoesNotSleepIsFine(text: String) {
        #expect(Rules.sleeps(in: file(text, at: "Tests/A/B.swift")) == [])
    }

    @Test(arguments: ["try inParallel(8) { _ in }", "let daemon = try RunningDaemon()"])
    func aTestThatBlocksTheThreadsOfTasksIsFound(text: String) {
        let silent = "@Suite struct A {\n@Test func a() {\n\(text)\n}\n}"
        #expect(lines(Rules.blocking(in: file(silent, at: "Tests/A/B.swift"))) == [3])
        let honest = "@Suite(.blocking)" + silent.dropFirst("@Suite".count)
        #expect(Rules.blocking(in: file(honest, at: "Tests/A/B.swift")) == [])
    }

    @Test func aTestThatWaitsWithoutBlockingIsFine() {
        let text = "@Test func a() async {\ntry await inParallel(8) { _ in }\n}"
        #expect(Rules.blocking(in: file(text, at: "Tests/A/B.swift")) == [])
    }

    @Test func anEncodingThatReadsAClockIsFound() {
        let path = "Sources/Daemon/BusAPI/Encodings/RawEvent.swift"
        for text in ["let age = age(by: SystemClock())", "headers(of: event, now: time)"] {
            #expect(lines(Rules.moments(in: file(text, at: path))) == [1])
            #expect(Rules.moments(in: file(text)) == [])
        }
    }

    @Test func aBlockOnAQueueOfAllTestsIsFound() {
        let text = "DispatchQueue.global().async {\n}"
        #expect(lines(Rules.queues(in: file(text, at: "Tests/A/B.swift"))) == [1])
        #expect(Rules.queues(in: file("DispatchQueue(label: \"a\").sync {}")) == [])
    }

    @Test(arguments: [
        "@Test(.enabled(if: isHere)) func a() {}", "@Suite(.blocking, .disabled(\"\")) struct A {}",
    ])
    func aConditionOfATestsOwnIsFound(text: String) {
        #expect(lines(Rules.conditions(in: file(text, at: "Tests/A/B.swift"))) == [1])
        let shared = file(text, at: "Tests/TestSupport/Conditions.swift")
        #expect(Rules.conditions(in: shared) == [])
        #expect(Rules.conditions(in: file("@Test(.byRoot) func a() {}")) == [])
    }

    @Test(arguments: [
        "let lock = Mutex(0)", "let lock: Mutex<Int>", "var lock = pthread_mutex_t()",
        "pthread_rwlock_init(&a, nil)", "let lock = NSLock()", "DispatchSemaphore(value: 1)",
    ])
    func aLockOutsideOfProtectionIsFound(text: String) {
        #expect(lines(Rules.locks(in: file(text))) == [1])
        #expect(Rules.locks(in: file(text, at: "Sources/Libraries/Protection/Lock.swift")) == [])
    }

    @Test func aFileOfOneLineTooManyIsFound() {
        let fitting = String(repeating: "let a = 1\n", count: Rules.linesMax)
        #expect(Rules.length(of: file(fitting)) == [])
        #expect(Rules.length(of: file(fitting + "}\n")).count == 1)
        #expect(Rules.length(of: file(fitting + "}")).count == 1)
        #expect(Rules.length(of: file(fitting + "}", at: "Sources/Daemon/CLinux/a.c")).count == 1)
    }

    @Test(arguments: ["TO" + "DO", "FIX" + "ME", "Place" + "holder", "place" + "holders"])
    func aPromiseIsFound(word: String) {
        for text in ["// \(word): later", "let a = \"\(word)\"", "func \(word)() {}"] {
            #expect(lines(Rules.promises(in: file("\n" + text))) == [2])
        }
    }

    @Test(arguments: [
        "static let eventBytesMax = 65_536", "let pollWaitSecondsMax: Int = 3_600",
        "public static let depthMin = -1",
    ])
    func aBoundInAModuleWithoutLimitsIsFound(text: String) {
        let elsewhere = file("", at: "Sources/Daemon/BusAPI/Limits.swift")
        let limits = file("", at: "Sources/Libraries/Topics/Limits.swift")
        #expect(lines(Rules.limits(in: [elsewhere, file(text)])) == [1])
        #expect(Rules.limits(in: [limits, file(text)]) == [])
    }

    @Test func aBoundThatIsGivenIsNotTheModulesOwn() {
        #expect(Rules.limits(in: [file("let bytesMax: Int\nlet aMax = limits.aMax")]) == [])
    }
}
