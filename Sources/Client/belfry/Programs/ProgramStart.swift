internal import Glibc
internal import Protection

/// Starts a program of ours as a child.
struct ProgramStart {
    /// The program and its arguments.
    let words: [String]
    /// Variables in place of those of their names.
    var variables: [(name: String, text: String)] = []
    /// Beginnings of names of variables that it does not inherit.
    var left: [String] = []
    /// The streams that are pipes of ours; all others are our own streams.
    var piped: Set<Int32> = []
    /// Whether it and its children are a group that a terminal's Ctrl-C does not reach.
    var ownGroup = false

    /// How many were started. Held from the making of pipes until the child has them: between `pipe`
    /// and `FD_CLOEXEC` a child that another thread starts would inherit an end, and keep it open.
    /// Only calls of the system are made under it. It is no `Protected<Void>`: a value without bytes
    /// shares the address of its owner, which the thread sanitizer takes for a race.
    private static let startedCount = Protected(0)

    /// Starts it.
    ///
    /// - Returns: Its process id, and our ends of the pipes by stream.
    func start() throws(CommandFailure) -> (pid: pid_t, ends: [Int32: Int32]) {
        try Self.startedCount.write { count throws(CommandFailure) in
            let started = try startAlone()
            count += 1
            return started
        }
    }

    private func startAlone() throws(CommandFailure) -> (pid: pid_t, ends: [Int32: Int32]) {
        // If our parent ignores this signal, so do we: the kernel would forget how our programs
        // end, and we would take each end for 0.
        signal(SIGCHLD, SIG_DFL)
        var (ours, theirs) = ([Int32: Int32](), [Int32: Int32]())
        defer { for end in theirs.values { close(end) } }
        for stream in piped {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                for end in ours.values { close(end) }
                throw CommandFailure(.file, "there is no pipe left: \(TextFile.lastError)")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let isInput = stream == STDIN_FILENO
            ours[stream] = isInput ? ends[1] : ends[0]
            theirs[stream] = isInput ? ends[0] : ends[1]
        }
        do throws(CommandFailure) {
            return (try spawn(theirs), ours)
        } catch {
            for end in ours.values { close(end) }
            throw error
        }
    }

    private func spawn(_ ends: [Int32: Int32]) throws(CommandFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, end) in ends { posix_spawn_file_actions_adddup2(&actions, end, stream) }
        // Our threads block nearly every signal. A program inherits that, and the signals that we
        // ignore: Ctrl-C and kill would not reach it.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(
                POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
                    | (ownGroup ? POSIX_SPAWN_SETPGROUP : 0)))
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, words[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            throw CommandFailure(
                .failedProgram, "\(words[0]) cannot be run: \(String(cString: strerror(code)))")
        }
        return pid
    }

    /// Our own environment without the token, and the variables of this program.
    private var environment: [String] {
        let left = (variables.map(\.name) + [Session.tokenVariable]).map { $0 + "=" } + left
        var inherited: [String] = []
        var next = environ
        while let text = next.pointee {
            let variable = String(cString: text)
            if !left.contains(where: { variable.hasPrefix($0) }) {
                inherited.append(variable)
            }
            next += 1
        }
        return inherited + variables.map { "\($0.name)=\($0.text)" }
    }
}
