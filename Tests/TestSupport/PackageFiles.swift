/// The files of this package, for tests that read them.
public enum PackageFiles {
    /// The package's folder, without a slash at its end.
    public static let root = String(
        #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })

    /// The pages of the HTTP interface: the overview, then those of its parts.
    public static let httpPages = [
        "docs/http-api.md", "docs/http-events.md", "docs/http-streams.md", "docs/http-topics.md",
        "docs/http-work.md", "docs/http-access.md", "docs/http-errors.md",
    ]

    /// The text of one of them.
    ///
    /// - Parameter path: Its path within the package.
    public static func text(_ path: String) throws(ChildProcess.Failure) -> String {
        let reader = try ChildProcess("/bin/cat", ["\(root)/\(path)"])
        guard try reader.wait() == .exited(0) else {
            throw .ended(output: "", errors: reader.text(of: .errors))
        }
        return reader.text(of: .output)
    }

    /// The names in a folder of the package, in order; those that begin with a dot left out.
    ///
    /// - Parameter folder: Its path within the package.
    public static func names(in folder: String) throws(ChildProcess.Failure) -> [String] {
        let list = try ChildProcess("/bin/ls", ["\(root)/\(folder)"])
        guard try list.wait() == .exited(0) else {
            throw .ended(output: "", errors: list.text(of: .errors))
        }
        return list.text(of: .output).split(separator: "\n").map { String($0) }
    }
}
