import Glibc

/// What stands in folders, those of proc(5) among them.
public enum FolderNames {
    /// The names in a folder, in no order; nil where it cannot be read.
    public static func all(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The descriptors that this process has open, whatever their numbers are: tests that run beside each
/// other have thousands.
public enum OpenDescriptors {
    /// Those that are open at this moment.
    public static var all: [Int32] {
        guard let names = FolderNames.all(in: "/proc/self/fd") else {
            preconditionFailure("the open descriptors cannot be seen: errno \(errno)")
        }
        return names.compactMap { Int32($0) }
    }
}
