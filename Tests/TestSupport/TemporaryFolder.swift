internal import Glibc

/// A folder that is gone, with all that is in it, when this object is.
public final class TemporaryFolder {
    /// Its path, without a slash at its end.
    public let path: String

    /// Makes an empty folder.
    public init() {
        var template = Array("/tmp/belfry-test-XXXXXX".utf8CString)
        let made = mkdtemp(&template) != nil
        precondition(made, "no temporary folder could be made: errno \(errno)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// Writes a file, replacing one of that name, and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) -> String {
        let file = "\(path)/\(name)"
        let stream = fopen(file, "w")
        precondition(stream != nil, "\(file) could not be written: errno \(errno)")
        fputs(text, stream)
        fclose(stream)
        return file
    }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
