import Foundation
import TestSupport
import Testing

/// What `make install` and `make uninstall` do to a folder, with another program in the place of the
/// daemon; `make test-systemd` does it to a machine that runs.
@Suite(.blocking) struct InstallTests {
    private let folder = TemporaryFolder()

    /// Runs a target with these variables, and returns what it said.
    @discardableResult
    private func make(_ target: String, _ variables: String...) throws -> String {
        let make = try ChildProcess(
            "/usr/bin/make",
            [
                "-s", "-C", PackageFiles.root, target, "DESTDIR=\(folder.path)",
                "RELEASE_BINARY=/bin/true", "COMMAND_BINARY=/bin/true", "--assume-old=/bin/true",
            ] + variables,
            // Not what a `make` around the tests was told.
            environment: ["PATH": "/usr/bin:/bin"])
        let ending = try make.wait()
        let said = make.text(of: .output) + make.text(of: .errors)
        #expect(ending == .exited(0), "\(said)")
        return said
    }

    /// Every file and link below the folder, from there.
    private var files: Set<String> {
        let names = FileManager.default.enumerator(atPath: folder.path)?
            .compactMap { $0 as? String }
        var isFolder: ObjCBool = false
        return Set(names ?? []).filter {
            !FileManager.default.fileExists(atPath: "\(folder.path)/\($0)", isDirectory: &isFolder)
                || !isFolder.boolValue
        }
    }

    private func text(_ path: String) -> String { folder.text(of: "\(folder.path)/\(path)") }

    private func put(_ text: String, at path: String) throws {
        let url = URL(fileURLWithPath: "\(folder.path)/\(path)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: false, encoding: .utf8)
    }

    @Test func everyLinkOfAnInstalledDocumentLeadsToAnInstalledFile() throws {
        try make("install")
        let documents = files.filter { $0.hasSuffix(".md") }
        #expect(documents.contains("usr/share/doc/belfry/README.md"))
        for document in documents {
            let base = URL(fileURLWithPath: "\(folder.path)/\(document)")
            for match in text(document).matches(of: /\]\(([^)#\s]+)[^)]*\)/) {
                let target = String(match.output.1)
                if target.contains("://") { continue }
                let path = URL(fileURLWithPath: target, relativeTo: base).standardizedFileURL.path
                #expect(
                    FileManager.default.fileExists(atPath: path),
                    "\(document) links to \(target): have `make install` install it")
            }
        }
    }

    @Test func documentsForDevelopersStayInTheSources() throws {
        try make("install")
        let names = Set(files.filter { $0.hasSuffix(".md") }.map { $0.split(separator: "/").last! })
        #expect(names.isSuperset(of: ["README.md", "recipes.md", "http-api.md", "operations.md"]))
        #expect(names.isDisjoint(with: ["CONTRIBUTING.md", "ARCHITECTURE.md", "CONCURRENCY.md"]))
        let readme = text("usr/share/doc/belfry/README.md")
        #expect(readme.contains("for developers: architecture · threads and locks"))
        #expect(readme.contains("[Recipes](docs/recipes.md)"))
    }

    @Test func anotherPrefixIsThatOfEveryPathInTheUnits() throws {
        let prefix = "/opt/belfry"
        try make("install", "PREFIX=\(prefix)", "SYSCONFDIR=/opt/etc")
        for unit in try PackageFiles.names(in: "systemd") {
            let text = text("lib/systemd/system/\(unit)")
            let page = try #require(text.firstMatch(of: /Documentation=.*file:\/\/(\S+)/)?.output.1)
            #expect(page.hasPrefix("\(prefix)/share/doc/belfry/"))
            #expect(files.contains(String(page.dropFirst())))
            #expect(!text.contains("/usr/bin/belfry") && !text.contains(/[ =]\/etc\/belfry\//))
        }
        let service = text("lib/systemd/system/belfryd.service")
        let start = "ExecStart=\(prefix)/bin/belfryd --config /opt/etc/belfry/belfryd.conf"
        #expect(service.contains(start))
        for (kind, command) in [("run", "sub"), ("work", "work"), ("answer", "answer")] {
            let program = text("lib/systemd/system/belfry-\(kind)@.service")
            #expect(program.contains("ExecStart=\(prefix)/bin/belfry \(command) "))
            #expect(program.contains("EnvironmentFile=/opt/etc/belfry/\(kind).d/%i"))
        }
        let webhooks = text("lib/systemd/system/belfry-push@.service")
        #expect(webhooks.contains("ExecStart=\(prefix)/bin/belfry push "))
        #expect(webhooks.contains("LoadCredential=webhooks:/opt/etc/belfry/push.d/%i"))
        let event = text("lib/systemd/system/belfry-pub@.service")
        #expect(event.contains("ExecStart=\(prefix)/bin/belfry pub "))
        #expect(event.contains("EnvironmentFile=/opt/etc/belfry/pub.d/%i"))
        let times = text("lib/systemd/system/belfry-pub@.timer")
        #expect(times.contains("AssertPathExists=/opt/etc/belfry/pub.d/%i"))
        #expect(files.contains("opt/belfry/bin/belfryd"))
        #expect(files.contains("opt/belfry/bin/belfry"))
        #expect(files.contains("opt/etc/belfry/belfryd.conf"))
    }

    @Test func withTheDefaultsTheUnitsAreThoseOfTheRepository() throws {
        try make("install")
        for unit in try PackageFiles.names(in: "systemd") {
            let original = try PackageFiles.text("systemd/\(unit)")
            #expect(text("lib/systemd/system/\(unit)") == original)
        }
    }

    @Test func uninstallingLeavesConfigurationTokensAndEventsAndSaysSo() throws {
        try make("install")
        let changed = "[poll]\nwait_max = 1s\n"
        try put(changed, at: "etc/belfry/belfryd.conf")
        try make("install")
        #expect(files.contains("etc/belfry/belfryd.conf.new"))
        try put("", at: "var/lib/belfry/belfry.db")
        try put("", at: "var/lib/belfry-run/web/web.cursor")
        try put("", at: "var/lib/belfry-work/mail/sent")
        try put("", at: "var/lib/belfry-push/web/push-1.cursor")
        try put("", at: "var/lib/systemd/timers/stamp-belfry-pub@standup.timer")
        try put("", at: "etc/credstore/belfry.tokens")
        try put("", at: "etc/systemd/system/sockets.target.wants/belfryd.socket")
        try put("", at: "etc/systemd/system/multi-user.target.wants/belfryd.service")
        let said = try make("uninstall")
        #expect(
            files == [
                "etc/belfry/belfryd.conf", "etc/credstore/belfry.tokens",
                "var/lib/belfry/belfry.db", "var/lib/belfry-run/web/web.cursor",
                "var/lib/belfry-work/mail/sent", "var/lib/belfry-push/web/push-1.cursor",
                "var/lib/systemd/timers/stamp-belfry-pub@standup.timer",
            ])
        #expect(text("etc/belfry/belfryd.conf") == changed)
        for (path, what) in [
            ("/etc/belfry", "configuration"), ("/var/lib/belfry", "events"),
            ("/var/lib/belfry-run", "state of belfry-run@.service"),
            ("/var/lib/belfry-work", "state of belfry-work@.service"),
            ("/var/lib/belfry-push", "state of belfry-push@.service"),
            (
                "/var/lib/systemd/timers/stamp-belfry-pub@standup.timer",
                "last time of belfry-pub@standup.timer"
            ),
            ("/etc/credstore/belfry.tokens", "tokens"),
        ] {
            #expect(said.contains("kept: \(folder.path)\(path) (the \(what))"), "\(said)")
        }
        #expect(try make("uninstall") == said)
    }
}
