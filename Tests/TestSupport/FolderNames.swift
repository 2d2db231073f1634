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

    /// The text that a symbolic link holds; nil where there is none.
    public static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        guard count >= 0 else { return nil }
        return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
