internal import Glibc

/// The system's error codes in words.
enum Errno {
    /// `No such file or directory`, for ENOENT.
    static func text(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard strerror_r(code, buffer.baseAddress!, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: buffer.baseAddress!)
        }
    }
}
