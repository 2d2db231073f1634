import TestSupport
import Testing

/// The program that was measured is the one that is installed and the one in the container.
@Suite(.blocking) struct ReleaseBuildTests {
    private static let script = "scripts/build-release"
    private static let flags = [
        "-c release", "--static-swift-stdlib", "-cross-module-optimization",
        "-enforce-exclusivity=unchecked",
    ]

    @Test func theFlagsOfTheReleaseAreInTheScript() throws {
        let text = try PackageFiles.text(Self.script)
        for flag in Self.flags { #expect(text.contains(flag), "\(flag)") }
        #expect(text.contains("product=${1:-belfryd}\n") && text.contains("--product \"$product\""))
    }

    @Test(arguments: ["Makefile", "Dockerfile"])
    func whoeverBuildsTheReleaseAsksTheScript(file: String) throws {
        let lines = try PackageFiles.text(file).split(separator: "\n")
        #expect(lines.contains { $0.contains(Self.script) && !$0.hasPrefix("#") })
        for line in lines where !line.hasPrefix("#") {
            #expect(!line.contains("--static-swift-stdlib"), "\(line)")
            #expect(!line.contains("-enforce-exclusivity"), "\(line)")
        }
    }

    @Test func whatTheDockerfileCopiesIsNotIgnored() throws {
        let copied = try PackageFiles.text("Dockerfile").split(separator: "\n")
            .filter { $0.hasPrefix("COPY ") && !$0.contains("--from") }
            .flatMap { $0.split(separator: " ").dropFirst().dropLast() }
        let kept = try PackageFiles.text(".dockerignore").split(separator: "\n")
            .filter { $0.hasPrefix("!") }.map { $0.dropFirst() }
        #expect(copied.contains("scripts/build-release"))
        for path in copied {
            #expect(kept.contains { path == $0 || path.hasPrefix("\($0)/") }, "\(path)")
        }
    }
}
