internal import Glibc

/// The kernel's table of the descriptors of this process.
enum DescriptorTable {
    /// Gives the table room for so many descriptors, as far as the process may have them.
    ///
    /// To be called before there are other threads. The kernel doubles the table when it is full, and
    /// where threads share it the one that needs the room waits, some ten milliseconds, until no
    /// processor looks at the old table. That would be a loop that accepts a connection.
    static func makeRoom(for count: Int) {
        let last = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, Int32(clamping: count - 1))
        if last >= 0 { close(last) }
    }
}
