import Glibc
import TestSupport
import Testing

@testable import BelfryDaemon

/// What is in `systemd/`, against what the daemon does.
@Suite(.blocking) struct UnitFileTests {
    /// The settings of a unit, comments left out.
    private func unit(_ name: String) throws -> [(section: String, key: String, value: String)] {
        let path = "\(PackageFiles.root)/systemd/\(name)"
        let text = try FileText.read(path, bytesMax: Limits.fileBytesMax)
        var section = ""
        var settings: [(section: String, key: String, value: String)] = []
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("#") { continue }
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
            } else {
                let parts = line.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                settings.append((section, String(parts[0]), String(parts[1])))
            }
        }
        return settings
    }

    private func values(_ key: String, in name: String) throws -> [String] {
        try unit(name).filter { $0.key == key }.map(\.value)
    }

    @Test func theSocketUnitListensWhereTheDaemonWould() throws {
        let root = RuntimeEnvironment(environment: ["HOME": "/root"], uid: 0)
        let locations = try ResolvedLocations(Configuration(), in: root)
        let wanted = locations.listen.map {
            let text = $0.description
            return text.hasPrefix("unix:") ? String(text.dropFirst(5)) : text
        }
        #expect(try values("ListenStream", in: "belfryd.socket") == wanted)
        let mode = String(Configuration().listen.unixMode, radix: 8)
        #expect(try values("SocketMode", in: "belfryd.socket") == ["0\(mode)"])
    }

    @Test func theServiceGivesADrainTheTimeItMayTake() throws {
        let limit = try #require(try values("TimeoutStopSec", in: "belfryd.service").first)
        #expect(limit.hasSuffix("s"))
        #expect(try #require(Int(limit.dropLast())) > Configuration().drainSeconds)
    }

    @Test func theServiceUsesOptionsThatExist() throws {
        for key in ["ExecStart", "ExecReload"] {
            for line in try values(key, in: "belfryd.service") where line.contains("belfryd") {
                let words = line.split(separator: " ").map(String.init)
                let program = try #require(words.firstIndex(of: "/usr/bin/belfryd"))
                let options = try CommandLineOptions(words.dropFirst(program + 1))
                #expect(options.config == CommandLineOptions.configDefault)
            }
        }
    }

    @Test func theServiceKeepsWhatTheBusNeeds() throws {
        let families = try values("RestrictAddressFamilies", in: "belfryd.service").joined()
        for family in ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"] {
            #expect(families.split(separator: " ").contains(Substring(family)))
        }
        let keys = Set(try unit("belfryd.service").map(\.key))
        // These would hide the callers' uids, cut loopback off, take the socket away, or make every
        // crash look like a loss of power (no boot_id).
        #expect(
            keys.isDisjoint(with: [
                "PrivateUsers", "PrivateNetwork", "RuntimeDirectory", "User", "ProcSubset",
            ]))
        #expect(try values("StartLimitIntervalSec", in: "belfryd.service") == ["0"])
    }

    /// The units that run a program of the administrator's differ in what they run, not in what it may do.
    @Test func unitsOfProgramsKeepThemFromTheSame() throws {
        func bounds(_ kind: String) throws -> [String] {
            let name = "belfry-\(kind)@.service"
            return try unit(name).filter { $0.section == "Service" }
                .drop { $0.key != "DynamicUser" }
                .map { "\($0.key)=\($0.value.replacing("belfry-\(kind)/", with: "/"))" }
        }
        #expect(try bounds("run").contains("CapabilityBoundingSet="))
        #expect(try bounds("work") == bounds("run"))
        #expect(try bounds("answer") == bounds("run"))
        // This one runs no program, so it needs no folder and sees no home.
        let others = try bounds("run").filter { !$0.hasPrefix("StateDirectory") }
        #expect(
            try bounds("pub")
                == others.map { $0 == "ProtectHome=read-only" ? "ProtectHome=yes" : $0 })
    }

    @Test func anEventOfACalendarIsPublishedAgainOnlyIfTheBusWasNotReached() throws {
        let exits = try values("RestartPreventExitStatus", in: "belfry-pub@.service").joined()
            .split(separator: " ").map { String($0) }
        #expect(exits.contains("5") && !exits.contains("4"))
        #expect(Set(exits).isSuperset(of: ["SIGKILL", "SIGTERM", "SIGABRT", "SIGILL", "SIGSEGV"]))
    }

    @Test func aMissedTimeOfACalendarIsMadeUpForAndOthersAreKeptToTheSecond() throws {
        let timer = "belfry-pub@.timer"
        #expect(try values("Persistent", in: timer) == ["true"])
        #expect(try values("AccuracySec", in: timer) == ["1s"])
        // A drop-in would only add to it.
        #expect(try values("OnCalendar", in: timer) == [])
    }

    @Test func systemdAcceptsEveryUnit() throws {
        let folder = TemporaryFolder()
        try copyUnits(to: folder)
        let timer = try PackageFiles.text("systemd/belfry-pub@.timer")
        let times = timer.split(separator: "\n").filter { $0.hasPrefix("#     ") }
            .map { $0.dropFirst(6) + "\n" }
        mkdir("\(folder.path)/belfry-pub@web.timer.d", 0o755)
        folder.write(times.joined(), to: "belfry-pub@web.timer.d/times.conf")
        let verify = try verified(PackageFiles.names(in: "systemd"), in: folder)
        #expect(verify.ending == .exited(0))
        #expect(verify.errors == "")
    }

    @Test func systemdRefusesATimerWithoutATime() throws {
        let folder = TemporaryFolder()
        try copyUnits(to: folder)
        let verify = try verified(["belfry-pub@.service", "belfry-pub@.timer"], in: folder)
        #expect(verify.ending == .exited(1))
        #expect(verify.errors.contains("belfry-pub@web.timer: Timer unit lacks value setting"))
    }

    /// Every unit, with the programs that were built.
    private func copyUnits(to folder: TemporaryFolder) throws {
        let daemon = ChildProcess.product("belfryd")
        let products = daemon[..<daemon.lastIndex(of: "/")!]
        for name in try PackageFiles.names(in: "systemd") {
            let path = "\(PackageFiles.root)/systemd/\(name)"
            let text = String(
                decoding: try FileText.read(path, bytesMax: Limits.fileBytesMax), as: UTF8.self)
            folder.write(
                text.replacing("/usr/bin/belfry", with: "\(products)/belfry"), to: name)
        }
    }

    /// What systemd says of these units, with the name `web` behind an `@`.
    private func verified(
        _ names: [String], in folder: TemporaryFolder
    ) throws -> (ending: ChildProcess.Ending, errors: String) {
        let verify = try ChildProcess(
            "/usr/bin/systemd-analyze",
            ["verify", "--man=no"]
                + names.map { "\(folder.path)/\($0.replacing("@.", with: "@web."))" })
        return (try verify.wait(), verify.text(of: .errors))
    }
}
