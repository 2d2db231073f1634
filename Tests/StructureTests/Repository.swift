import Foundation

/// The files of the project, found from where this one lies.
enum Repository {
    /// The folder that holds `Package.swift`.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every text file under `Sources/`; what is a link there lies elsewhere.
    static let sources = files(under: "Sources")

    /// Every text file under `Tests/`.
    static let tests = files(under: "Tests")

    /// Every Swift file under `Benchmarks/`.
    static let benchmarks = files(under: "Benchmarks").filter(\.isSwift)

    /// Every file under `Plugins/`, which the build runs.
    static let plugins = files(under: "Plugins")

    /// The folders of the modules under `Sources/`, and those of Swift right under `Benchmarks/` and
    /// `Plugins/`.
    static let modules = Set((sources + plugins + benchmarks).map(\.module))

    private static func files(under folder: String) -> [SourceFile] {
        let start = root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String }
        return (paths ?? []).sorted().compactMap { path in
            let file = start.appendingPathComponent(path)
            let isLink = (try? file.resourceValues(forKeys: [.isSymbolicLinkKey]))?.isSymbolicLink
            guard !file.hasDirectoryPath, isLink != true,
                let text = try? String(contentsOf: file, encoding: .utf8)
            else { return nil }
            return SourceFile(path: "\(folder)/\(path)", text: text)
        }
    }
}
