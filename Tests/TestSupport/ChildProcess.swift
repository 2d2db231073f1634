public import Glibc
internal import Synchronization

/// A program run as a child: given input, listened to, waited for, each step within a bound of
/// time, and gone when this object is.
///
/// Its output is taken in while a step waits, so nothing is lost and no thread is needed; a child
/// that writes more than a pipe holds goes on at the next step.
///
/// Not for use from two threads at once.
public final class ChildProcess {
    /// How a child ended.
    public enum Ending: Equatable, Sendable {
        /// With this status.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)
    }

    /// Why a step failed.
    public enum Failure: Error {
        /// A call of the system failed, with its `errno`.
        case system(String, Int32)
        /// The bound of time passed; what the child has written so far.
        case timedOut(output: String, errors: String)
        /// The stream ended before the line came; what the child has written.
        case ended(output: String, errors: String)
    }

    /// What a child writes to.
    public enum Stream: Sendable {
        /// Standard output.
        case output
        /// Standard error.
        case errors
    }

    /// The child's process id.
    public let pid: pid_t

    private var input: Int32
    private var streams: [Stream: Pipe]
    private var ending: Ending?

    private struct Pipe {
        let descriptor: Int32
        var received: [UInt8] = []
        var taken = 0
        var isOpen = true
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: What stands behind its name.
    ///   - environment: Its variables; nil passes on our own.
    ///   - descriptors: Descriptors of ours that it gets as 3, 4 and so on.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        handing descriptors: [Int32] = []
    ) throws(Failure) {
        // A child that ended early is an error of `write`, not the end of the tests.
        signal(SIGPIPE, SIG_IGN)
        let started = Self.spawning.withLock { _ in
            Self.spawn(path, arguments, environment, descriptors)
        }
        pid = started.pid
        input = started.ends[0]
        streams = [
            .output: Pipe(descriptor: started.ends[1]), .errors: Pipe(descriptor: started.ends[2]),
        ]
        guard started.code == 0 else {
            ending = .exited(127)
            throw .system("posix_spawn \(path)", started.code)
        }
    }

    deinit {
        if ending == nil {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        }
        closeInput()
        for pipe in streams.values { close(pipe.descriptor) }
    }

    /// Everything the child has written to a stream so far.
    public func written(to stream: Stream) -> [UInt8] { streams[stream]!.received }

    /// The same, as text.
    public func text(of stream: Stream) -> String {
        String(decoding: streams[stream]!.received, as: UTF8.self)
    }

    /// Sends a signal.
    public func send(_ signal: Int32) {
        if ending == nil { kill(pid, signal) }
    }

    /// Writes all bytes to its standard input.
    public func write(_ bytes: [UInt8], within seconds: Double = 60) throws(Failure) {
        let deadline = Self.now() + seconds
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try pump(until: deadline, writing: true)
            } else {
                throw .system("write", errno)
            }
        }
    }

    /// Ends its standard input; a second call does nothing.
    public func closeInput() {
        guard input >= 0 else { return }
        close(input)
        input = -1
    }

    /// The next line, without its end, that fulfils a condition; those before it are passed over.
    public func line(
        from stream: Stream = .errors, within seconds: Double = 60,
        where condition: (String) -> Bool = { _ in true }
    ) throws(Failure) -> String {
        let deadline = Self.now() + seconds
        while true {
            while let line = takeLine(from: stream) { if condition(line) { return line } }
            guard streams[stream]!.isOpen else {
                throw .ended(output: text(of: .output), errors: text(of: .errors))
            }
            try pump(until: deadline)
        }
    }

    /// Ends its input, takes in its output, and waits for its end.
    public func wait(within seconds: Double = 60) throws(Failure) -> Ending {
        closeInput()
        let deadline = Self.now() + seconds
        while streams.values.contains(where: \.isOpen) { try pump(until: deadline) }
        while true {
            if let ending { return ending }
            var status: Int32 = 0
            let result = waitpid(pid, &status, WNOHANG)
            if result == pid {
                let signal = status & 0x7F
                ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
            } else if Self.now() > deadline {
                throw .timedOut(output: text(of: .output), errors: text(of: .errors))
            } else {
                poll(nil, 0, 1)
            }
        }
    }

    private func takeLine(from stream: Stream) -> String? {
        let pipe = streams[stream]!
        guard let end = pipe.received[pipe.taken...].firstIndex(of: 0x0A) else { return nil }
        streams[stream]!.taken = end + 1
        return String(decoding: pipe.received[pipe.taken..<end], as: UTF8.self)
    }

    /// Waits until something can be read, or written if asked, and takes in what was read.
    private func pump(until deadline: Double, writing: Bool = false) throws(Failure) {
        let open = streams.filter(\.value.isOpen)
        var entries = open.values.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        if writing { entries.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        let left = max(0, deadline - Self.now())
        let ready = poll(&entries, nfds_t(entries.count), Int32((left * 1000).rounded(.up)))
        if ready < 0, errno != EINTR { throw .system("poll", errno) }
        if ready == 0 { throw .timedOut(output: text(of: .output), errors: text(of: .errors)) }
        for stream in open.keys { take(from: stream) }
    }

    private func take(from stream: Stream) {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            let count = read(streams[stream]!.descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                streams[stream]!.received.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                streams[stream]!.isOpen = false
            }
        }
    }

    /// Held from the making of pipes until the child has them: between `pipe` and `FD_CLOEXEC`
    /// another child would inherit an end, and its reader would never see the end of the stream.
    private static let spawning = Mutex(())

    /// Our ends of the child's three streams, which do not block, and its own.
    private static func makePipes() -> (ours: [Int32], theirs: [Int32]) {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        for target in 0..<3 {
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0, "no pipe could be made: errno \(errno)")
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let our = target == 0 ? ends[1] : ends[0]
            _ = fcntl(our, F_SETFL, O_NONBLOCK)
            ours.append(our)
            theirs.append(target == 0 ? ends[0] : ends[1])
        }
        return (ours, theirs)
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String]?,
        _ descriptors: [Int32]
    ) -> (code: Int32, pid: pid_t, ends: [Int32]) {
        let (ours, theirs) = makePipes()
        // Out of the way of the numbers they are to get.
        let parked = (theirs + descriptors).map { fcntl($0, F_DUPFD_CLOEXEC, 200) }
        defer { for descriptor in parked + theirs { close(descriptor) } }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, descriptor) in parked.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
        }

        var metadata = posix_spawnattr_t()
        posix_spawnattr_init(&metadata)
        defer { posix_spawnattr_destroy(&metadata) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&metadata, &none)
        posix_spawnattr_setsigdefault(&metadata, &all)
        posix_spawnattr_setflags(
            &metadata, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        let variables = environment ?? inheritedVariables()
        var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { envp.forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, &metadata, &argv, &envp)
        return (code, pid, ours)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension ChildProcess {
    /// A program of this package as it was built beside the running tests.
    public static func product(_ name: String) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        precondition(count > 0, "the tests' own file is not known: errno \(errno)")
        let file = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return file.prefix(upTo: file.lastIndex(of: "/")!) + "/" + name
    }

    /// The real curl.
    public static let curl = "/usr/bin/curl"

    /// Our own variables, without those of the bus: what the machine is set to must not change
    /// what a test sees.
    static func inheritedVariables() -> [String: String] {
        var variables: [String: String] = [:]
        for name in ["PATH", "HOME", "TMPDIR", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
