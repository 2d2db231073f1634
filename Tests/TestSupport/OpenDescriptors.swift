import Glibc

/// The descriptors that this process has open, whatever their numbers are: tests that run beside each
/// other have thousands.
public enum OpenDescriptors {
    /// Those that are open at this moment.
    public static var all: [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var all: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let descriptor = Int32(name), descriptor != dirfd(folder) { all.append(descriptor) }
        }
        return all
    }
}
