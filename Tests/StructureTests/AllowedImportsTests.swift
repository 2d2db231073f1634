import Testing

@Suite struct AllowedImportsTests {
    private func violations(_ text: String, in module: String) -> [String] {
        AllowedImports.check(SourceFile(path: "Sources/Daemon/\(module)/Sample.swift", text: text))
            .map(
                \.sentence)
    }

    @Test(arguments: [
        ("Topics", "import Foundation", "Foundation"),
        ("BusAPI", "import Foundation", "Foundation"),
        ("Topics", "internal import FoundationEssentials", "FoundationEssentials"),
        ("HTTPFront", "internal import Topics", "Topics"),
        ("Topics", "public import HTTPFront", "HTTPFront"),
        ("BelfryDaemon", "internal import CLinux", "CLinux"),
        ("BusAPI", "internal import CMicroHTTPD", "CMicroHTTPD"),
        ("Broadcasting", "private import Telemetry", "Telemetry"),
        ("Broadcasting", "import struct Foundation.Date", "Foundation"),
        ("Broadcasting", "import Foundation.NSDate", "Foundation"),
        ("Broadcasting", "import `Foundation`", "Foundation"),
        ("Broadcasting", "import Dispatch; import Glibc", "Glibc"),
        ("Broadcasting", "import\n    Glibc", "Glibc"),
        ("Broadcasting", "let text = \"\" /* here */; import Glibc // there", "Glibc"),
        ("Nowhere", "import Protection", "Protection"),
    ])
    func anImportThatIsNotAllowedIsRefused(module: String, text: String, imported: String) {
        #expect(violations(text, in: module) == ["\(module) may not import \(imported)"])
    }

    @Test(arguments: [
        "#if canImport(Foundation)\nimport Foundation\n#endif",
        "#if os(Linux)\n#else\n    internal import Foundation\n#endif",
        "#if TSAN\n#if DEBUG\nimport Foundation\n#endif\n#endif",
    ])
    func aConditionAllowsNothing(text: String) {
        #expect(violations(text, in: "Protection") == ["Protection may not import Foundation here"])
    }

    @Test func anImportAllowedUnderAConditionIsRefusedOutsideOfIt() {
        let refused = ["Protection may not import Darwin here"]
        let condition = "canImport(Darwin)"
        let allowed = [
            "#if \(condition)\n  import Darwin\n#endif",
            "#if DEBUG\n#if \(condition)\nimport Darwin\n#endif\n#endif",
            "#if \(condition)\n#else\nimport Glibc\n#endif",
        ]
        for text in allowed { #expect(violations(text, in: "Protection") == []) }
        #expect(
            violations("#if \(condition)\n#else\nimport Darwin\n#endif", in: "Protection")
                == refused)
        #expect(
            violations("#if \(condition)\n#elseif A\nimport Darwin\n#endif", in: "Protection")
                == refused)
        #expect(violations("#if !\(condition)\nimport Darwin\n#endif", in: "Protection") == refused)
        #expect(
            violations("#if \(condition)\n#endif\nimport Darwin", in: "Protection")
                == ["Protection may not import Darwin"])
    }

    @Test(arguments: [
        "@testable", "@_exported", "@_implementationOnly", "@preconcurrency", "@_spi(Inner)",
    ])
    func aFormThatSaysMoreIsRefusedEvenWhereTheImportIsAllowed(field: String) {
        let name = String(field.prefix { $0 != "(" })
        for text in ["\(field) import Protection", "\(field)\npublic import Protection"] {
            let sentences = violations(text, in: "Broadcasting")
            #expect(sentences.count == 1)
            #expect(sentences.first?.hasPrefix("\(name) has no place") == true)
        }
    }

    @Test func bothFaultsOfOneImportAreTold() {
        let sentences = violations("let a = 1\n@_exported public import Glibc", in: "Broadcasting")
        #expect(sentences.count == 2)
    }

    @Test(arguments: [
        "// import Foundation", "/* import Foundation */", "/// import Foundation",
        #"let text = "import Foundation""#, "let text = \"\"\"\n    import Foundation\n    \"\"\"",
        "let `import` = 1", "let important = 1",
    ])
    func whatIsOnlySpokenOfIsNoImport(text: String) {
        #expect(violations(text, in: "Topics") == [])
    }

    @Test func theLineOfTheImportIsTold() {
        let text = "// A file.\n\nimport Dispatch\nimport Foundation\n"
        let file = SourceFile(path: "Sources/Libraries/Broadcasting/Sample.swift", text: text)
        #expect(
            AllowedImports.check(file).map(\.description) == [
                "Sources/Libraries/Broadcasting/Sample.swift:4: Broadcasting may not import Foundation"
            ])
    }
}
