import TestSupport
import Testing

/// The container is built from what `.dockerignore` lets through.
@Suite(.blocking) struct ContainerFilesTests {
    @Test func whatTheDockerfileCopiesIsNotIgnored() throws {
        let copied = try PackageFiles.text("Dockerfile").split(separator: "\n")
            .filter { $0.hasPrefix("COPY ") && !$0.contains("--from") }
            .flatMap { $0.split(separator: " ").dropFirst().dropLast() }
        let kept = try PackageFiles.text(".dockerignore").split(separator: "\n")
            .filter { $0.hasPrefix("!") }.map { $0.dropFirst() }
        #expect(Set(PackageFiles.httpPages).isSubset(of: copied.map(String.init)))
        for path in copied {
            #expect(kept.contains { path == $0 || path.hasPrefix("\($0)/") }, "\(path)")
        }
    }
}
