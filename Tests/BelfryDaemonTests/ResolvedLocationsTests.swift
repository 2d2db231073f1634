import HTTPFront
import Testing

@testable import BelfryDaemon

struct ResolvedLocationsTests {
    private func place(
        _ variables: [String: String], uid: UInt32 = 1000, handedOver: [Int32] = [],
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> ResolvedLocations {
        var configuration = Configuration()
        change(&configuration)
        return try ResolvedLocations(
            configuration, in: RuntimeEnvironment(environment: variables, uid: uid),
            handedOver: handedOver)
    }

    private func socket(_ locations: ResolvedLocations) -> String? {
        locations.listen.map(\.description).first { $0.hasPrefix("unix:") }
    }

    @Test func byHandStateAndSocketAreTheUsersOwn() throws {
        let locations = try place(["HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/user/1000"])
        #expect(locations.stateDirectory == "/home/a/.local/state/belfry")
        #expect(socket(locations) == "unix:/run/user/1000/belfry/belfry.sock")
        #expect(locations.socketDirectories == ["/run/user/1000/belfry"])
    }

    @Test func withoutAFolderForSocketsTheSocketIsBesideTheState() throws {
        let locations = try place(["HOME": "/home/a", "XDG_STATE_HOME": "/home/a/state"])
        #expect(locations.stateDirectory == "/home/a/state/belfry")
        #expect(socket(locations) == "unix:/home/a/state/belfry/belfry.sock")
        #expect(locations.socketDirectories.isEmpty)
    }

    @Test func rootHasTheSocketWhereTheServiceHasIt() throws {
        let locations = try place(["HOME": "/root", "XDG_RUNTIME_DIR": "/run/user/0"], uid: 0)
        #expect(socket(locations) == "unix:/run/belfry/belfry.sock")
        #expect(locations.socketDirectories == ["/run/belfry"])
    }

    @Test func foldersOfSystemdComeFirst() throws {
        let locations = try place(
            [
                "STATE_DIRECTORY": "/var/lib/belfry:/var/lib/more", "HOME": "/root",
                "RUNTIME_DIRECTORY": "/run/own", "XDG_STATE_HOME": "/x",
            ], uid: 0)
        #expect(locations.stateDirectory == "/var/lib/belfry")
        #expect(socket(locations) == "unix:/run/own/belfry.sock")
        #expect(locations.socketDirectories.isEmpty)
    }

    @Test func socketsThatWereHandedOverReplaceEveryAddress() throws {
        let locations = try place(["HOME": "/h"], handedOver: [3, 4])
        #expect(locations.listen == [.inherited(descriptor: 3), .inherited(descriptor: 4)])
        #expect(locations.socketDirectories.isEmpty)
    }

    @Test func onlyTheTwinOfTheIPv4LoopbackMayBeMissing() throws {
        let both = try place(["HOME": "/h"])
        #expect(both.listen.filter(isOptional).map(\.description) == ["[::1]:7464"])
        let alone = try place(["HOME": "/h"]) { $0.listen.tcp.removeFirst() }
        #expect(!alone.listen.contains(where: isOptional))
    }

    @Test func aPathTooLongForASocketLeavesTheSocketOut() throws {
        let long = "/" + String(repeating: "d", count: 100)
        #expect(socket(try place(["HOME": "/h", "XDG_RUNTIME_DIR": long])) == nil)
    }

    @Test func configuredPlacesBeatFoundOnes() throws {
        let locations = try place(["HOME": "/h", "STATE_DIRECTORY": "/s"]) {
            $0.stateDirectory = "/mine"
            $0.listen.unix = .path("/mine/x.sock")
            $0.listen.unixMode = 0o600
        }
        #expect(locations.stateDirectory == "/mine")
        #expect(locations.listen.contains(.unix(path: "/mine/x.sock", mode: 0o600)))
    }

    @Test(arguments: [[:], ["HOME": "relative"]])
    func withoutAHomeTheKeyIsNamed(variables: [String: String]) {
        #expect {
            try place(variables)
        } throws: { error in
            "\(error)".contains("BELFRY_STORE_STATE_DIRECTORY")
        }
    }

    private func isOptional(_ address: ListenAddress) -> Bool {
        if case .tcp(_, optional: true) = address { true } else { false }
    }
}
