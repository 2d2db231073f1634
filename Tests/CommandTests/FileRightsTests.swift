import Glibc
import TestSupport
import Testing

@testable import belfry

/// The files that the command reads and writes, and those that it does not.
@Suite(.blocking) struct FileRightsTests {
    private static let state = ".local/state/belfry"

    /// The folder of cursors, once a run has made it.
    private func folder(_ rig: CommandRig) throws -> String {
        #expect(try rig.run("sub", "a", "--name", "n", "--until-now").code == 0)
        return "\(rig.home.path)/\(Self.state)"
    }

    @Test(arguments: ["n.cursor", "n.lock", "n.cursor.new"], ["pipe", "folder"])
    func whatIsNoRegularFileInThePlaceOfACursorIsRefused(name: String, kind: String) throws {
        let rig = try CommandRig()
        let path = "\(try folder(rig))/\(name)"
        unlink(path)
        #expect((kind == "pipe" ? mkfifo(path, 0o600) : mkdir(path, 0o700)) == 0)
        try rig.run("pub", "a", "one")
        let outcome = try rig.run("sub", "a", "--name", "n", "--until-now")
        // A new cursor takes the place of whatever an interrupted run has left there.
        if name.hasSuffix(".new"), kind == "pipe" { return #expect(outcome.code == 0) }
        #expect(outcome.code == 8 && outcome.errors.contains(path), "\(outcome)")
        if !name.hasSuffix(".new") {
            #expect(outcome.errors.contains("is no regular file"), "\(outcome)")
        }
    }

    @Test func aNewCursorFollowsNoLink() throws {
        let rig = try CommandRig()
        let other = rig.home.write("precious", to: "other")
        #expect(symlink(other, "\(try folder(rig))/n.cursor.new") == 0)
        try rig.run("pub", "a", "one")
        #expect(try rig.run("sub", "a", "--name", "n", "--until-now").output.contains("one"))
        #expect(rig.home.text(of: other) == "precious")
    }

    @Test(
        arguments: [
            ["pub", "a", "x", "--token-file", "FIFO"], ["push", "FIFO"],
            ["push", "HOOKS", "--ca-file", "FIFO", "--until-now"],
        ])
    func aPipeInThePlaceOfAFileIsRefused(words: [String]) throws {
        let rig = try CommandRig()
        let pipe = "\(rig.home.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let secret = WebhookReceiver.secret
        let hooks = rig.home.write("log http://127.0.0.1:1/ \(secret)\n", to: "hooks")
        chmod(hooks, 0o600)
        let places = ["FIFO": pipe, "HOOKS": hooks]
        let outcome = try CommandRig.outcome(of: rig.start(words.map { places[$0] ?? $0 }))
        #expect(outcome.code == 8 && outcome.errors.contains("\(pipe) is no regular file"))
    }

    @Test(arguments: [0o770, 0o707, 0o777, 0o1777])
    func aFolderOfCursorsThatOthersMayWriteIsRefused(mode: mode_t) throws {
        let rig = try CommandRig()
        let folder = try folder(rig)
        let hooks = rig.home.write("a http://127.0.0.1:1/ \(WebhookReceiver.secret)\n", to: "hooks")
        chmod(hooks, 0o600)
        try #require(chmod(folder, mode) == 0)
        for (words, variables) in [
            (["sub", "a", "--name", "n", "--until-now"], [:]),
            (["sub", "a", "--name", "m", "--until-now"], ["STATE_DIRECTORY": folder]),
            (["push", hooks, "--until-now"], [:]),
            (["copy", "/nonexistent", rig.daemon.socketPath, "--name", "n"], [:]),
        ] as [([String], [String: String])] {
            let outcome = try CommandRig.outcome(of: rig.start(words, variables))
            #expect(outcome.code == 8, "\(words): \(outcome)")
            #expect(outcome.errors.contains(folder) && outcome.errors.contains("'chmod go-w' it"))
        }
        try #require(chmod(folder, 0o755) == 0)
        #expect(try rig.run("sub", "a", "--name", "n", "--until-now").code == 0)
    }

    @Test(arguments: ["n.cursor", "n.lock"])
    func aCursorThatOthersMayWriteIsRefused(name: String) throws {
        let rig = try CommandRig()
        let path = "\(try folder(rig))/\(name)"
        try #require(chmod(path, 0o666) == 0)
        let outcome = try rig.run("sub", "a", "--name", "n", "--until-now")
        #expect(outcome.code == 8 && outcome.errors.contains("\(path): 'chmod go-w' it"))
    }
}
