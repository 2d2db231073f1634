// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "belfry",
    products: [
        .library(name: "Protection", targets: ["Protection"]),
        .library(name: "Broadcasting", targets: ["Broadcasting"]),
        .library(name: "Topics", targets: ["Topics"]),
        .executable(name: "belfryd", targets: ["belfryd"]),
    ],
    targets: [
        // The in-process bus.
        .target(name: "Protection", swiftSettings: strict),
        .target(name: "Broadcasting", dependencies: ["Protection"], swiftSettings: strict),
        .target(name: "Telemetry", dependencies: ["Protection"], swiftSettings: strict),
        .target(
            name: "Topics", dependencies: ["Protection", "Broadcasting", "Telemetry"],
            swiftSettings: strict),

        // The HTTP front, and what it says about topics.
        .target(name: "CLinux"),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .target(
            name: "HTTPFront", dependencies: ["Protection", "Telemetry", "CLinux", "CMicroHTTPD"],
            swiftSettings: strict),
        .target(
            name: "BusAPI", dependencies: ["Topics", "HTTPFront", "Telemetry", "Protection"],
            swiftSettings: strict),

        // The service.
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
        .target(
            name: "BelfryDaemon",
            dependencies: [
                "Protection", "Broadcasting", "Telemetry", "Topics", "HTTPFront", "BusAPI",
                "CSystemd", "CInih",
            ],
            swiftSettings: strict),
        .executableTarget(name: "belfryd", dependencies: ["BelfryDaemon"], swiftSettings: strict),

        // What `make bench-core` measures; the only target that knows Foundation.
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
        .testTarget(
            name: "TopicsTests",
            dependencies: ["Topics", "Broadcasting", "Protection", "Telemetry", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPFrontTests",
            dependencies: ["HTTPFront", "Protection", "Telemetry", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "BusAPITests",
            dependencies: [
                "BusAPI", "HTTPFront", "Topics", "Protection", "Telemetry", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BelfryDaemonTests", dependencies: ["BelfryDaemon", "Telemetry", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "StructureTests", dependencies: ["TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests", dependencies: ["belfryd", "Protection", "TestSupport"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
