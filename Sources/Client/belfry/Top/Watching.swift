internal import BelfryClient
internal import Glibc
internal import Protection

/// `belfry top`.
struct Watching {
    private let session: Session
    private let pause: Duration
    private var watch: BusWatch

    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let every = try arguments.duration("--every") ?? 1_000_000
        guard every >= Limits.topPauseMicrosecondsMin else {
            throw CommandFailure(.usage, "'--every' is at least 100ms")
        }
        var watching = Watching(session, every: .microseconds(every))
        if arguments.has("--once") || arguments.has("--json") {
            try await watching.print(
                isJSON: arguments.has("--json"), isOnce: arguments.has("--once"))
        } else {
            try await watching.show()
        }
    }

    private init(_ session: Session, every pause: Duration) {
        self.session = session
        self.pause = pause
        watch = BusWatch(session.client)
    }

    /// Prints a report behind each pause.
    private mutating func print(isJSON: Bool, isOnce: Bool) async throws(CommandFailure) {
        var before = try await look()
        repeat {
            try? await Task.sleep(for: pause)
            let now = try await look()
            let report = TopReport(from: before, to: now)
            before = now
            if isJSON { Output.standard.write(json: report.json) } else { report.print() }
            try Output.standard.flush()
        } while !isOnce
    }

    private mutating func look() async throws(CommandFailure) -> BusLook {
        let before = watch
        let (look, now) = try await session.ask { () throws(ClientError) in
            var watch = before
            return (try await watch.look(), watch)
        }
        watch = now
        return look
    }

    /// Shows reports on the terminal, until a key or a signal ends it. A bus that goes away is waited
    /// for; one that was never there is a failure.
    private mutating func show() async throws(CommandFailure) {
        var before = try await look()
        guard let terminal = Terminal() else {
            throw CommandFailure(
                .usage, "this is no terminal: give '--once' or '--json' to print to a program")
        }
        let end: Int32?
        do throws(CommandFailure) {
            end = try await show(on: terminal, &before)
            terminal.restore()
        } catch {
            terminal.restore()
            throw error
        }
        if let end { SignalPipe.end(by: end) }
    }

    /// The signal that ended it; nil for a key.
    private mutating func show(
        on terminal: Terminal, _ before: inout BusLook
    ) async throws(CommandFailure) -> Int32? {
        let ending = WatchEnding()
        do throws(Errno) {
            try SignalPipe.open { ending.end(by: $0) }
            try Terminal.keys { key in
                if [UInt8(ascii: "q"), UInt8(ascii: "Q"), nil].contains(key) {
                    ending.end(by: nil)
                }
            }
        } catch {
            throw CommandFailure(.file, "keys and signals cannot be listened to: \(error)")
        }
        let title = "belfry top   q ends   \(session.address)"
        var (report, trouble) = (TopReport?.none, String?.none)
        while true {
            let size = terminal.size
            try terminal.show(
                TopScreen(columns: size.columns, rows: size.rows)
                    .lines(TerminalText.line(title), report, trouble: trouble))
            if await ending.wait(for: pause) { return ending.signal }
            do throws(ClientError) {
                let now = try await watch.look()
                (report, trouble) = (TopReport(from: before, to: now), nil)
                before = now
            } catch {
                trouble = TerminalText.line("\(error)")
            }
        }
    }
}
