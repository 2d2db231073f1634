import Glibc
import TestSupport
import Testing

@testable import BelfryDaemon

/// What is in `config/`, against the table of keys. `make config` writes it anew.
struct ShippedConfigurationTests {
    private static let path = "\(PackageFiles.root)/config/belfryd.conf"

    private func shipped() throws -> String {
        String(decoding: try FileText.read(Self.path, bytesMax: Limits.fileBytesMax), as: UTF8.self)
    }

    private func load(_ text: String) throws -> Configuration {
        try Configuration(sources: [ConfigurationSource(file: "f", text: Array(text.utf8))])
    }

    @Test func theFileIsWhatTheTableSays() throws {
        if getenv("BELFRY_RECORD") != nil {
            let file = try #require(fopen(Self.path, "w"))
            fputs(Configuration.template, file)
            fclose(file)
        }
        #expect(try shipped() == Configuration.template, "run `make config` and look at the change")
    }

    @Test func asShippedItChangesNothing() throws {
        #expect(try load(try shipped()) == Configuration())
    }

    @Test func everyDefaultWrittenInItIsTheDefault() throws {
        let lines = try shipped().split(separator: "\n", omittingEmptySubsequences: false)
        let settings = lines.map { $0.hasPrefix(";") ? $0.dropFirst() : $0 }
        let text = settings.joined(separator: "\n")
        #expect(try load(text) == Configuration())
        let keys = INIFile(Array(text.utf8)).settings.map { "\($0.section).\($0.key)" }
        #expect(Set(keys) == Set(ConfigurationKey.all.map(\.path)))
    }

    @Test func everyKeySaysWhatItIsForWhatItTakesAndWhyOneWouldChangeIt() {
        for key in ConfigurationKey.all {
            #expect(key.purpose.hasSuffix("."), "\(key.path)")
            #expect(key.reason.count > 20 && !key.form.isEmpty, "\(key.path)")
        }
        #expect(Set(ConfigurationKey.all.map(\.path)).count == ConfigurationKey.all.count)
        #expect(Set(ConfigurationKey.all.map(\.variable)).count == ConfigurationKey.all.count)
    }
}
