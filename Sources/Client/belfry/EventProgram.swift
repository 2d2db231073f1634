internal import Glibc
internal import Topics

/// The program behind `--`, which runs once for each event.
struct EventProgram {
    let words: [String]

    /// Runs it with the payload as its standard input and the rest in its environment, and waits for
    /// its end.
    ///
    /// - Returns: Nil if it ended with 0, else how it ended.
    func run(for event: Event) throws(CommandFailure) -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure(.file, "there is no pipe left: \(TextFile.lastError)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pid: pid_t
        do throws(CommandFailure) {
            pid = try spawn(event, input: ends[0])
        } catch {
            for end in ends { close(end) }
            throw error
        }
        close(ends[0])
        // A program that does not read its input is no failure.
        signal(SIGPIPE, SIG_IGN)
        var rest = event.payload.bytes[...]
        while !rest.isEmpty {
            let count = write(
                ends[1], UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        signal(SIGPIPE, SIG_DFL)
        close(ends[1])
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        if status == 0 { return nil }
        return status & 0x7F == 0
            ? "ended with \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
    }

    private func spawn(_ event: Event, input: Int32) throws(CommandFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // Threads of tasks block nearly every signal, and a program inherits that: Ctrl-C and kill
        // would not reach it.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables(of: event).map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, words[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            throw CommandFailure(
                .failedProgram, "\(words[0]) cannot be run: \(String(cString: strerror(code)))")
        }
        return pid
    }

    private static let prefix = "BELFRY_"

    /// Our own variables, and those of the event in place of any of their names.
    private func variables(of event: Event) -> [String] {
        let own = [
            ("ID", "\(event.id)"), ("TOPIC", event.topic.text), ("TIME", "\(event.time)"),
            ("TYPE", event.attributes.type ?? ""), ("KEY", event.attributes.key ?? ""),
            ("CONTENT_TYPE", event.attributes.contentType ?? ""),
        ].map { (Self.prefix + $0 + "=", $1) }
        var inherited: [String] = []
        var next = environ
        while let text = next.pointee {
            let variable = String(cString: text)
            if !own.contains(where: { variable.hasPrefix($0.0) }) { inherited.append(variable) }
            next += 1
        }
        return inherited + own.map { $0 + $1 }
    }
}
