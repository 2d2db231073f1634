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
