/// The files of this package, for tests that read them.
public enum PackageFiles {
    /// The package's folder, without a slash at its end.
    public static let root = String(
        #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
}
