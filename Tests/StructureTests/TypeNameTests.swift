import Testing

@Suite struct TypeNameTests {
    private func violations(_ texts: String..., modules: Set<String> = []) -> Int {
        let files = texts.enumerated().map { index, text in
            SourceFile(path: "Sources/Daemon/Module\(index)/Sample.swift", text: text)
        }
        return TypeName.doubles(in: files, modules: modules).count
    }

    @Test(arguments: [
        "struct Event {}", "public final class Event: Sendable {}",
        "@usableFromInline enum Event {}",
        "private protocol Event: AnyObject {}", "extension Log {\n    struct Event {}\n}",
        "package actor Event {}", "struct Poller {\n    private indirect enum Event {}\n}",
        "#if DEBUG\n    struct Event {}\n#endif", "public(set) struct Event<Value> {}",
    ])
    func aSecondTypeOfOneNameIsFound(text: String) {
        #expect(violations("struct Event {}", text) == 1)
        #expect(violations(text, "struct Other {}\nstruct Event {}") == 1)
    }

    @Test(arguments: [
        "// struct Event {}", "let text = \"struct Event {}\"", "extension Event {}",
        "struct EventLog {}", "class func Event() {}", "typealias Other = Event",
    ])
    func whatDeclaresNoSuchTypeIsFine(text: String) {
        #expect(violations("struct Event {}", text) == 0)
    }

    @Test func nestedTypesMayShareTheirNames() {
        let owners = ["Once", "Writer"].map { "struct \($0) {\n    enum Phase {}\n}" }
        #expect(violations(owners[0], owners[1]) == 0)
    }

    @Test func aTypeIsOneUnderSeveralConditions() {
        #expect(violations("#if A\n    struct Lock {}\n#else\n    struct Lock {}\n#endif") == 0)
    }

    @Test func noTypeHasTheNameOfAnotherModule() {
        #expect(violations("struct Module0 {}", modules: ["Module0"]) == 0)
        #expect(violations("struct A {\n    struct Access {}\n}", modules: ["Access"]) == 1)
    }
}
