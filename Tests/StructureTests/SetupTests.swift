import TestSupport
import Testing

/// `scripts/setup` on systems that are not this one.
@Suite(.blocking) struct SetupTests {
    @Test(arguments: [("12", "12"), ("14", "14"), ("13.3.0", "13")])
    func theCXXLibraryIsThatOfTheMachinesOwnCompiler(version: String, major: String) throws {
        let machine = try MakeshiftMachine(manager: "apt-get", compiler: version, packages: [])
        let (said, ending) = try machine.setUp()
        #expect(ending == .exited(0), "\(said)")
        let libraries = machine.installed.filter { $0.hasPrefix("libstdc++") }
        #expect(libraries == ["libstdc++-\(major)-dev"])
    }

    @Test func withoutACompilerTheCXXLibraryIsThatOfTheRelease() throws {
        let machine = try MakeshiftMachine(manager: "apt-get", packages: [])
        #expect(try machine.setUp().ending == .exited(0))
        #expect(machine.installed.contains("g++"))
        #expect(!machine.installed.contains { $0.hasPrefix("libstdc++-") })
    }

    @Test func whereAllIsThereNothingIsSaidOrInstalled() throws {
        let machine = try MakeshiftMachine(
            manager: "apt-get", compiler: "14",
            packages: [
                "libmicrohttpd-dev", "nettle-dev", "libsystemd-dev", "libinih-dev",
                "libsqlite3-dev", "libcurl4-openssl-dev", "libcmark-gfm-dev",
                "libcmark-gfm-extensions-dev", "pkg-config", "binutils", "gcc", "libc6-dev",
                "libstdc++-14-dev", "libncurses6", "libsqlite3-0", "libxml2-16", "git", "curl",
                "dash", "mount", "util-linux", "ca-certificates", "binutils-gold",
            ])
        let (said, ending) = try machine.setUp()
        #expect(ending == .exited(0))
        #expect(said == "")
        #expect(machine.asked == [])
    }

    @Test func theLinkerThatHardensIsInstalledWhereBinutilsLacksIt() throws {
        for isThere in [false, true] {
            let machine = try MakeshiftMachine(manager: "apt-get", packages: ["binutils"])
            if isThere { try machine.add("ld.gold", "true") }
            #expect(try machine.setUp().ending == .exited(0))
            #expect(machine.installed.contains("binutils-gold") == !isThere)
        }
    }

    @Test func ofTwoNamesOfAPackageTheOneThatTheReleaseHasIsInstalled() throws {
        for (old, isKnown) in [("libxml2", true), ("libxml2-16", false)] {
            let machine = try MakeshiftMachine(manager: "apt-get", packages: [])
            try machine.add("apt-cache", isKnown ? "true" : "false")
            #expect(try machine.setUp().ending == .exited(0))
            #expect(machine.installed.filter { $0.hasPrefix("libxml2") } == [old[...]])
        }
    }

    @Test(arguments: [
        ("dnf", ["libmicrohttpd-devel", "systemd-devel", "inih-devel", "sqlite-devel"]),
        ("pacman", ["libmicrohttpd", "systemd-libs", "libinih", "sqlite"]),
    ])
    func otherSystemsAreAskedForTheSameByTheirOwnNames(
        manager: String, names: [String]
    ) throws {
        let machine = try MakeshiftMachine(manager: manager)
        let (said, ending) = try machine.setUp()
        #expect(Set(machine.installed).isSuperset(of: names.map { $0[...] }), "\(said)")
        #expect(!machine.installed.contains { $0.hasSuffix("-dev") })
        #expect(Set(machine.installed).count == machine.installed.count)
        // The manager only pretended: what is not there by then is named, and no toolchain helps.
        #expect(ending == .exited(1))
        #expect(said.contains("installed, and yet not there: \(names[0]): the HTTP parser"))
    }

    @Test func anUnknownSystemIsToldWhatToProvideAndForWhat() throws {
        let machine = try MakeshiftMachine(manager: nil)
        let (said, ending) = try machine.setUp()
        #expect(ending == .exited(1))
        #expect(
            said.contains(
                "missing what Debian calls nettle-dev (pkg-config finds no nettle): the hash"))
        #expect(said.contains("missing what Debian calls git (there is no command git): "))
        #expect(machine.asked == [])
    }

    @Test func aNameThatNobodyLookedUpIsNotGuessed() throws {
        let machine = try MakeshiftMachine(manager: "dnf")
        try machine.add("pkg-config", "true")
        let (said, ending) = try machine.setUp(for: "slow")
        #expect(ending == .exited(1))
        #expect(said.contains("missing what Debian calls slowhttptest (there is no command"))
        #expect(machine.asked == [])
    }

    @Test func aPartOfPythonIsThereIfPythonHasIt() throws {
        for (command, isMissing) in [("exit 1", true), ("exit 0", false)] {
            let machine = try MakeshiftMachine(manager: nil)
            try machine.add("python3", command)
            let said = try machine.setUp(for: "openapi").said
            #expect(said.contains("(python3 has no module ensurepip)") == isMissing, "\(said)")
        }
    }

    @Test func aToolchainThatIsTooOldIsNamedWithTheOneThatIsNeeded() throws {
        let machine = try MakeshiftMachine(manager: "apt-get", packages: [])
        try machine.add("swift", "echo 'Swift version 6.1.2 (swift-6.1.2-RELEASE)'")
        let (said, ending) = try machine.setUp()
        #expect(ending == .exited(1))
        #expect(said.contains("Swift 6.1 is too old, 6.2 or newer is needed: get one from"))
    }

    @Test func whatOnlyTestsNeedIsInstalledForThemAlone() throws {
        let programs: Set<Substring> = ["mandoc", "make", "systemd", "zsh", "fish"]
        for (purpose, wanted) in [(nil, []), ("test", programs)] as [(String?, Set<Substring>)] {
            let machine = try MakeshiftMachine(manager: "apt-get", packages: [])
            #expect(try machine.setUp(for: purpose).ending == .exited(0))
            #expect(programs.intersection(machine.installed) == wanted)
        }
    }

    @Test func theDocumentNamesWhatIsInstalled() throws {
        let document = try PackageFiles.text("docs/systems.md")
        for manager in ["apt-get", "dnf", "pacman"] {
            let machine = try MakeshiftMachine(
                manager: manager, compiler: "N", packages: manager == "apt-get" ? [] : nil)
            try machine.add("apt-cache", "true")
            _ = try machine.setUp(for: "test")
            #expect(machine.installed.count > 5)
            for name in machine.installed {
                #expect(document.contains("`\(name)`"), "\(name) of \(manager)")
            }
        }
    }
}
