import Foundation
import Testing

/// The package names no platform on which its libraries cannot be compiled.
@Suite struct PlatformsTests {
    private static let libraries = [
        "Protection", "Broadcasting", "Telemetry", "Topics", "SQLiteStore", "Work",
    ]

    @Test func aPlatformIsNamedOnlyIfNoLibraryNeedsGlibc() throws {
        let manifest = try String(
            contentsOf: Repository.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let needGlibc = Repository.sources.filter { Self.libraries.contains($0.module) }.filter {
            Import.all(in: $0).contains { $0.module == "Glibc" && $0.conditions.isEmpty }
        }
        #expect(!manifest.contains("platforms:") || needGlibc.isEmpty, "\(needGlibc)")
    }
}
