/// Which module may import what: the one table, and the check against it.
///
/// The compiler's own check of explicit dependencies misses modules that come with the system and
/// those that come through another target.
enum AllowedImports {
    /// A module that another one may import, everywhere or only under a condition of compilation.
    struct AllowedImport: ExpressibleByStringLiteral {
        let module: String
        let condition: String?

        init(stringLiteral module: String) {
            self.module = module
            condition = nil
        }

        private init(_ module: String, condition: String) {
            self.module = module
            self.condition = condition
        }

        static func only(_ module: String, under condition: String) -> AllowedImport {
            AllowedImport(module, condition: condition)
        }
    }

    /// `Synchronization` is for atomics; locks are Protection's, see ``Rules/locks(in:)``.
    static let table: [String: [AllowedImport]] = [
        // Who the calling thread is, and the only lock that the thread sanitizer knows, come from
        // the system's own library.
        "Protection": [
            "Synchronization", "Dispatch", .only("Glibc", under: "!canImport(Darwin)"),
            .only("Darwin", under: "canImport(Darwin)"),
        ],
        "Broadcasting": ["Protection", "Dispatch", "Synchronization"],
        "Telemetry": ["Protection", "Synchronization", "Glibc"],
        // Values alone.
        "Queues": [],
        "Topics": [
            "Protection", "Broadcasting", "Telemetry", "Queues", "Synchronization", "Dispatch",
            "Glibc",
        ],
        "SQLiteStore": [
            "Protection", "Broadcasting", "Telemetry", "Queues", "Topics", "CSQLite", "Glibc",
        ],
        // Bytes and machines: no file, no network and no clock.
        "Ordered": ["Topics", "Queues", "Digests", "Protection"],
        // Texts alone.
        "About": [],
        // Tokens are the system's own randomness.
        "Work": [
            "Protection", "Broadcasting", "Telemetry", "Queues", "Topics", "Dispatch", "Glibc",
        ],
        // Beside nettle nothing: what is hashed, and why, is the business of others.
        "Digests": ["CNettle"],
        // Text alone: how values are written between the bus and everybody else.
        "JSON": ["Digests"],
        // What the bus and its clients both say.
        "Wire": ["Topics", "JSON", "Digests"],
        "HTTPFront": [
            "Protection", "Telemetry", "Queues", "CMicroHTTPD", "Digests", "JSON", "CLinux",
            "Synchronization", "Glibc",
        ],
        // Users and groups come from the system's own library.
        "Access": ["Protection", "Topics", "Digests", "Glibc"],
        // Bytes, and the tag by which a browser knows them again.
        "Page": ["Digests"],
        "BusAPI": [
            "Protection", "Telemetry", "Queues", "Topics", "Work", "Access", "Digests", "HTTPFront",
            "JSON", "Wire", "Page", "FoundationEssentials", "Glibc",
        ],
        "BelfryDaemon": [
            "Protection", "Broadcasting", "Telemetry", "Topics", "Work", "Access", "SQLiteStore",
            "HTTPFront", "JSON", "Wire", "BusAPI", "About", "CSystemd", "CInih", "Dispatch",
            "Glibc",
        ],
        // The limit on open files and the exit code are the program's own.
        "belfryd": ["BelfryDaemon", "Glibc"],
        // The bus from another process: nothing of the daemon's. The kernel says who listens there,
        // and the system's own library who we are.
        "BelfryClient": [
            "Protection", "Telemetry", "Topics", "JSON", "Wire", "CCurl", "CLinux", "Glibc",
        ],
        "belfry": [
            "Protection", "Topics", "About", "Digests", "JSON", "Wire", "BelfryClient", "CLinux",
            "Glibc",
        ],
        // What the build runs: in no program that is installed.
        "EmbedFiles": ["Foundation", "PackagePlugin"],
        "embed-files": ["CMarkGFM", "Foundation"],
        // Measures what we have beside what Foundation has.
        "Core": ["Protection", "Broadcasting", "Foundation", "Synchronization"],
        // C, or module maps of C libraries: nothing in them is Swift.
        "CLinux": [], "CMicroHTTPD": [], "CNettle": [], "CSystemd": [], "CInih": [],
        "CSQLite": [], "CCurl": [], "CMarkGFM": [],
    ]

    /// Imports that the table does not have, and forms of import that say more than "I use this".
    static func check(_ file: SourceFile) -> [Violation] {
        guard file.isSwift else { return [] }
        return Import.all(in: file).flatMap { found in
            var sentences = found.metadata.map {
                "\($0) has no place before an import: allow the import, or use what is public"
            }
            if !allows(found, in: file.module) {
                let place = found.conditions.isEmpty ? "" : " here"
                sentences.append("\(file.module) may not import \(found.module)\(place)")
            }
            return sentences.map { file.violation(at: found.line, $0) }
        }
    }

    private static func allows(_ found: Import, in module: String) -> Bool {
        (table[module] ?? []).contains { allowed in
            allowed.module == found.module
                && (allowed.condition.map { found.conditions.contains($0) } ?? true)
        }
    }
}
