// swift-tools-version: 6.2
import PackageDescription

// Only `make fuzz` asks for the program around libFuzzer, which needs a build of its own.
let isFuzzed = Context.environment["BELFRY_FUZZ"] != nil

let counters: [SwiftSetting] = isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer"])] : []

// The program that the build itself runs has no counters.
let strictBuilding: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]
let strict = strictBuilding + counters

// What the fuzzer and the tests share: every parser with its inputs.
let fuzzed: [Target.Dependency] = [
    "HTTPFront", "BusAPI", "BelfryDaemon", "Access", "Digests", "JSON", "Wire", "Topics",
    "Ordered", "Telemetry", "TestSupport",
]
let fuzzing: [Target] =
    isFuzzed
    ? [
        .target(
            name: "FuzzTests", dependencies: fuzzed, path: "Tests/FuzzTests",
            exclude: ["Corpus", "CorpusTests.swift", "CorpusTextTests.swift", "Program"],
            swiftSettings: strict),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTests"], path: "Tests/FuzzTests/Program",
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    ]
    : [
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed,
            exclude: ["Corpus", "Driver.swift", "Program"], swiftSettings: strict)
    ]

let package = Package(
    name: "belfry",
    products: [
        .library(name: "Protection", targets: ["Protection"]),
        .library(name: "Broadcasting", targets: ["Broadcasting"]),
        .library(name: "Topics", targets: ["Topics"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "Work", targets: ["Work"]),
        .library(name: "BelfryClient", targets: ["BelfryClient"]),
        .executable(name: "belfryd", targets: ["belfryd"]),
        .executable(name: "belfry", targets: ["belfry"]),
    ],
    targets: [
        // The bus inside a process: the libraries for Swift programs.
        .target(name: "Protection", path: "Sources/Libraries/Protection", swiftSettings: strict),
        .target(
            name: "Broadcasting", dependencies: ["Protection"],
            path: "Sources/Libraries/Broadcasting", swiftSettings: strict),
        .target(
            name: "Telemetry", dependencies: ["Protection"], path: "Sources/Libraries/Telemetry",
            swiftSettings: strict),
        .target(name: "Queues", path: "Sources/Libraries/Queues", swiftSettings: strict),
        .target(
            name: "Topics", dependencies: ["Protection", "Broadcasting", "Telemetry", "Queues"],
            path: "Sources/Libraries/Topics", swiftSettings: strict),
        .target(name: "CLinux", path: "Sources/Libraries/CLinux"),
        .target(name: "About", path: "Sources/Libraries/About", swiftSettings: strict),
        .systemLibrary(
            name: "CNettle", path: "Sources/Libraries/CNettle", pkgConfig: "nettle",
            providers: [.apt(["nettle-dev"])]),
        .target(
            name: "Digests", dependencies: ["CNettle"], path: "Sources/Libraries/Digests",
            swiftSettings: strict),
        .target(
            name: "JSON", dependencies: ["Digests"], path: "Sources/Libraries/JSON",
            swiftSettings: strict),
        .target(
            name: "Wire", dependencies: ["Topics", "JSON", "Digests"],
            path: "Sources/Libraries/Wire", swiftSettings: strict),
        .systemLibrary(
            name: "CSQLite", path: "Sources/Libraries/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "Topics", "Broadcasting", "Telemetry", "Queues", "Protection", "CSQLite",
            ],
            path: "Sources/Libraries/SQLiteStore", swiftSettings: strict),
        .target(
            name: "Ordered",
            dependencies: ["Topics", "Queues", "Digests", "Protection"],
            path: "Sources/Libraries/Ordered",
            swiftSettings: strict),
        .target(
            name: "Work",
            dependencies: ["Protection", "Broadcasting", "Telemetry", "Queues", "Topics"],
            path: "Sources/Libraries/Work", swiftSettings: strict),

        // What the build runs: files become literals in the sources of a target.
        .systemLibrary(
            name: "CMarkGFM", path: "Sources/Building/CMarkGFM",
            providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
        .executableTarget(
            name: "embed-files", dependencies: ["CMarkGFM"],
            path: "Sources/Building/embed-files", swiftSettings: strictBuilding),
        .plugin(
            name: "EmbedFiles", capability: .buildTool(), dependencies: ["embed-files"]),

        // The daemon: the HTTP front, access rules, and what both say about topics.
        .systemLibrary(
            name: "CMicroHTTPD", path: "Sources/Daemon/CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .target(
            name: "HTTPFront",
            dependencies: [
                "Protection", "Telemetry", "Queues", "CLinux", "CMicroHTTPD", "Digests", "JSON",
            ],
            path: "Sources/Daemon/HTTPFront", swiftSettings: strict),
        .target(
            name: "Access", dependencies: ["Topics", "Protection", "Digests"],
            path: "Sources/Daemon/Access", swiftSettings: strict),
        .target(
            name: "Page", dependencies: ["Digests"], path: "Sources/Daemon/Page",
            swiftSettings: strict, plugins: ["EmbedFiles"]),
        .target(
            name: "BusAPI",
            dependencies: [
                "Topics", "Work", "Access", "Digests", "HTTPFront", "JSON", "Wire", "Page",
                "Telemetry", "Queues", "Protection",
            ],
            path: "Sources/Daemon/BusAPI", swiftSettings: strict, plugins: ["EmbedFiles"]),
        .systemLibrary(
            name: "CSystemd", path: "Sources/Daemon/CSystemd", pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CInih", path: "Sources/Daemon/CInih", pkgConfig: "inih",
            providers: [.apt(["libinih-dev"])]),
        .target(
            name: "BelfryDaemon",
            dependencies: [
                "Protection", "Broadcasting", "Telemetry", "Topics", "Work", "Access",
                "SQLiteStore", "HTTPFront", "JSON", "Wire", "BusAPI", "About", "CSystemd", "CInih",
            ],
            path: "Sources/Daemon/BelfryDaemon", swiftSettings: strict),
        .executableTarget(
            name: "belfryd", dependencies: ["BelfryDaemon"], path: "Sources/Daemon/belfryd",
            swiftSettings: strict),

        // The bus from another process.
        .systemLibrary(
            name: "CCurl", path: "Sources/Client/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(
            name: "BelfryClient",
            dependencies: [
                "Topics", "JSON", "Wire", "Protection", "Telemetry", "CCurl", "CLinux",
            ],
            path: "Sources/Client/BelfryClient", swiftSettings: strict),
        .executableTarget(
            name: "belfry",
            dependencies: [
                "BelfryClient", "Topics", "JSON", "Wire", "Protection", "About", "Digests",
                "CLinux",
            ],
            path: "Sources/Client/belfry", swiftSettings: strict),

        // What `make bench-core` measures; knows Foundation as only the build does.
        .executableTarget(
            name: "bench-core", dependencies: ["Broadcasting", "Protection"],
            path: "Benchmarks/Core", swiftSettings: strict),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Protection"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "ProtectionTests", dependencies: ["Protection", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "BroadcastingTests", dependencies: ["Broadcasting", "Protection", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "TelemetryTests", dependencies: ["Telemetry", "Protection", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "StoreSupport", dependencies: ["Topics", "Protection"],
            path: "Tests/StoreSupport", swiftSettings: strict),
        .testTarget(
            name: "TopicsTests",
            dependencies: [
                "Topics", "Queues", "Broadcasting", "Protection", "Telemetry", "StoreSupport",
                "TestSupport",
            ],
            swiftSettings: strict),
        .target(name: "FaultyDisk", dependencies: ["CSQLite"], path: "Tests/FaultyDisk"),
        .target(
            name: "DiskSupport",
            dependencies: ["Protection", "TestSupport", "CSQLite", "FaultyDisk"],
            path: "Tests/DiskSupport", swiftSettings: strict),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "SQLiteStore", "Topics", "Broadcasting", "Protection", "Telemetry", "StoreSupport",
                "TestSupport", "CSQLite", "DiskSupport", "FaultyDisk",
            ],
            swiftSettings: strict),
        .target(
            name: "Simulation",
            dependencies: [
                "SQLiteStore", "Ordered", "Work", "Topics", "Broadcasting", "Protection",
                "Telemetry", "StoreSupport", "DiskSupport", "FaultyDisk", "TestSupport",
            ],
            path: "Tests/Simulation", exclude: ["Program", "README.md"],
            swiftSettings: strict),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation", "TestSupport"],
            path: "Tests/Simulation/Program", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Simulation", "Ordered", "SQLiteStore", "Work", "Topics", "Broadcasting",
                "Protection", "Telemetry", "StoreSupport", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OrderedTests",
            dependencies: ["Ordered", "Topics", "Protection", "StoreSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "WorkTests",
            dependencies: [
                "Work", "Topics", "SQLiteStore", "Broadcasting", "Protection", "Telemetry",
                "StoreSupport", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DigestsTests", dependencies: ["Digests", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "WireTests", dependencies: ["Wire", "JSON", "Topics", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AccessTests",
            dependencies: ["Access", "Topics", "Digests", "Protection", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPFrontTests",
            dependencies: ["HTTPFront", "Protection", "Telemetry", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "BusAPITests",
            dependencies: [
                "BusAPI", "HTTPFront", "JSON", "Wire", "SQLiteStore", "Topics", "Work", "Access",
                "Broadcasting", "Protection", "Telemetry", "StoreSupport", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BelfryDaemonTests",
            dependencies: ["BelfryDaemon", "Access", "Telemetry", "About", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "BelfryClientTests",
            dependencies: ["BelfryClient", "Topics", "Protection", "TestSupport", "belfryd"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "belfry", "belfryd", "BelfryClient", "About", "Digests", "Protection", "Topics",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "Protection", "Broadcasting", "Topics", "SQLiteStore", "Work", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StructureTests", dependencies: ["Protection", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["belfryd", "belfry", "Protection", "TestSupport"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
package.targets += fuzzing
