internal import BelfryDaemon
internal import Glibc

/// The program: parse, build, run, exit status.
@main
struct Belfryd {
    static func main() {
        StandardStreams.open()
        let program = Program(
            arguments: CommandLine.arguments.dropFirst(),
            environment: ProcessEnvironment.snapshot(), uid: geteuid(),
            filesMax: FileLimit.raise())
        exit(program.run().rawValue)
    }
}

/// How many files and sockets the process may have open.
enum FileLimit {
    /// Raises the soft limit to the hard one, and returns the limit that then holds. Every
    /// subscriber is a socket, and the soft limit of 1,024 only protects programs that use
    /// `select`.
    static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        return Int(clamping: setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }
}

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
