import Glibc
import TestSupport

/// A machine for `scripts/setup` to look at: its `PATH` is one folder, with tools of the test's
/// making and the few real ones that a shell script needs.
final class MakeshiftMachine {
    private let folder = TemporaryFolder()

    /// What its package manager was asked to do, a line for each time.
    var asked: [Substring] {
        folder.text(of: "\(folder.path)/asked").split(separator: "\n")
    }

    /// The packages that it was asked to install.
    var installed: [Substring] {
        asked.filter { $0.contains(" install ") || $0.contains(" -S ") }
            .flatMap { $0.split(separator: " ").dropFirst(2) }.filter { !$0.hasPrefix("-") }
    }

    /// - Parameters:
    ///   - manager: The name of its package manager; nil is a system without a known one.
    ///   - compiler: What its gcc says that its version is; nil is a machine without one.
    ///   - packages: What dpkg says is installed; nil is a machine without dpkg.
    init(manager: String?, compiler: String? = nil, packages: [String]? = nil) throws {
        for name in ["sh", "cat", "cut", "sed", "tr", "head", "env"] {
            let folders = ["/usr/bin", "/bin"].filter { access("\($0)/\(name)", X_OK) == 0 }
            symlink("\(folders.first ?? "/bin")/\(name)", "\(folder.path)/\(name)")
        }
        try add("id", "echo 0")
        try add("swift", "echo 'Swift version 6.2 (swift-6.2-RELEASE)'")
        if let manager { try add(manager, "echo \"\(manager) $*\" >>'\(folder.path)/asked'") }
        if let compiler { try add("gcc", "echo \(compiler)") }
        if let packages {
            try add("dpkg-query", packages.map { "echo 'installed \($0)'" }.joined(separator: "\n"))
        }
    }

    /// Adds a program that runs these commands of a shell.
    func add(_ name: String, _ commands: String) throws {
        try folder.writeProgram("#!/bin/sh\n\(commands)\n", to: name)
    }

    /// Runs `scripts/setup`, and returns what it said and how it ended.
    func setUp(for purpose: String? = nil) throws -> (said: String, ending: ChildProcess.Ending) {
        let setup = try ChildProcess(
            "/bin/sh", ["\(PackageFiles.root)/scripts/setup"] + (purpose.map { [$0] } ?? []),
            environment: ["PATH": folder.path])
        let ending = try setup.wait()
        return (setup.text(of: .output) + setup.text(of: .errors), ending)
    }
}
