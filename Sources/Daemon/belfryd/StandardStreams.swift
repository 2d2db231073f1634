internal import Glibc

/// Descriptors 0, 1 and 2.
enum StandardStreams {
    /// Opens `/dev/null` as those that are closed: the next socket would otherwise become standard
    /// error, and a client would be sent the log.
    static func open() {
        var descriptor: Int32
        repeat { descriptor = Glibc.open("/dev/null", O_RDWR) } while (0...2).contains(descriptor)
        if descriptor > 2 { close(descriptor) }
    }
}
