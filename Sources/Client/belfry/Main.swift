internal import Glibc

/// The program: parse, run, exit status.
@main
struct Belfry {
    static func main() async {
        let code = await CommandRun(arguments: CommandLine.arguments.dropFirst()).run()
        exit(code.rawValue)
    }
}
