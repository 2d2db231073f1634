#if !canImport(Darwin)
    internal import Glibc

    /// Why the system refused an operation: a number of errno, and the system's words for it.
    package struct Errno: Error, Hashable, CustomStringConvertible {
        /// Such as ENOENT.
        package let code: Int32

        /// The failure with this number.
        package init(_ code: Int32) { self.code = code }

        /// The failure of the system call that this thread made last.
        package static var last: Errno { Errno(errno) }

        /// `No such file or directory`, for ENOENT.
        package var description: String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
                // Not `strerror`, whose text another thread may overwrite.
                guard strerror_r(code, buffer.baseAddress!, buffer.count) == 0 else {
                    return "error \(code)"
                }
                return String(cString: buffer.baseAddress!)
            }
        }
    }
#endif
