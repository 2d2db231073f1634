import Glibc
import TestSupport
import Testing

/// The script `worker`, as the recipes have their reader save it, in both shells of Debian.
@Suite(.blocking) struct WorkerScriptTests {
    private static let jobs = 60
    private static let configuration = """
        [store]
        store = sqlite
        [retention]
        keep = none
        bytes = none
        """

    @Test("each job runs once, over kill -9 and a full disk", arguments: ["dash", "bash"])
    func eachJobRunsOnce(shell: String) throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        var daemon = try RunningDaemon(configuration: Self.configuration, disk: disk)
        let group = try daemon.connect().exchange(
            "PUT", "/groups/mail?of=jobs.mail&lease=30s&attempts=100")
        try #require(group.status == 201, "\(group.text)")
        let folder = try WorkerFolder(daemon.socketPath)
        let workers = try (1...3).map { try folder.start(shell, "worker-\($0)") }
        defer { for worker in workers { worker.send(SIGKILL) } }

        try publish(1...20, through: daemon.connect())
        try folder.await(runs: 10)
        try daemon.kill()
        daemon = try daemon.restarted()
        try publish(21...40, through: daemon.connect())
        try folder.await(runs: 25)
        try disk.fill("filling")
        try fill(daemon)
        try disk.remove("filling")
        try eventually("the disk is written again", within: 60) {
            try daemon.connect().get("/readyz").status == 200
        }
        try daemon.kill()
        daemon = try daemon.restarted()
        try publish(41...Self.jobs, through: daemon.connect())

        let client = try daemon.connect()
        try eventually("every job is settled", within: 120) {
            try client.get("/groups/mail").text.contains("\"done\":\(Self.jobs),")
        }
        #expect(folder.runs.sorted() == (1...Self.jobs).map { "job \($0)" }.sorted())
        let removed = try client.exchange("DELETE", "/groups/mail")
        #expect(removed.status == 204)
        for worker in workers {
            #expect(try worker.wait() == .exited(1))
            #expect(worker.text(of: .errors).contains("GROUP_"))
        }
    }

    private func publish(_ numbers: ClosedRange<Int>, through client: RawClient) throws {
        for number in numbers { try client.publish("job \(number)", to: "jobs.mail") }
    }

    /// Publishes until the store has no room: what lies free in its own files is used, too.
    private func fill(_ daemon: RunningDaemon) throws {
        let client = try daemon.connect()
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000)
        for _ in 0..<2_000 {
            let answer = try client.exchange("POST", "/topics/filling", body: body)
            guard answer.status == 201 else {
                #expect(answer.status == 507)
                return
            }
        }
        Issue.record("the disk was never full")
    }
}

/// Where workers of one test keep the script and what they ran.
private struct WorkerFolder {
    private let folder = TemporaryFolder()

    init(_ socket: String) throws {
        let scripts = ShellExample.files(in: try PackageFiles.text("docs/recipes.md"))
        try folder.writeProgram(try #require(scripts["worker"]), to: "worker")
        try folder.writeProgram(
            "#!/bin/sh\nprintf '%s\\n' \"$(cat)\" >>\(folder.path)/runs\n", to: "run")
        folder.write("unix-socket = \"\(socket)\"\n", to: ".curlrc")
    }

    func start(_ shell: String, _ name: String) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env",
            [
                "HOME=\(folder.path)", shell, "\(folder.path)/worker", "mail", name,
                "\(folder.path)/run",
            ],
            environment: ["PATH": "/usr/bin:/bin"])
    }

    /// The text of each job, as often as it ran.
    var runs: [String] {
        folder.text(of: "\(folder.path)/runs").split(separator: "\n").map(String.init)
    }

    func await(runs count: Int) throws {
        try eventually("\(count) jobs ran", within: 60) { runs.count >= count }
    }
}
