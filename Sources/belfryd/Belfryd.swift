internal import BelfryDaemon
internal import Glibc

/// The program: parse, build, run, exit status.
@main
struct Belfryd {
    static func main() {
        FileLimit.raise()
        let program = Program(
            arguments: CommandLine.arguments.dropFirst(),
            environment: ProcessEnvironment.snapshot(), uid: geteuid())
        exit(program.run().rawValue)
    }
}
