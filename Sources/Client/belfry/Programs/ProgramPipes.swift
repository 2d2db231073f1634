internal import CLinux
internal import Glibc

/// Our ends of the pipes of a running program: its input, and its outputs as they come.
///
/// The program has ended when its process has, not when its pipes have: a process that it left
/// behind may hold them for ever. Output of the program itself is always read whole.
///
/// Used by one thread, which blocks SIGPIPE: a program that does not read its input is no failure.
struct ProgramPipes {
    /// Gets a stream and its bytes, valid during the call. If it returns false the stream is
    /// closed, as it would be for the program alone.
    typealias Take = (Int32, UnsafeRawBufferPointer) -> Bool

    private let pid: pid_t
    private let leftBehind: Duration
    private var input: Int32?
    private var outputs: [Int32: Int32]

    /// - Parameters:
    ///   - ends: The ends by stream, which it closes.
    ///   - pid: The program, which nobody else waits for.
    ///   - leftBehind: How long behind the end of the program a stream may stay open.
    init(
        _ ends: [Int32: Int32], of pid: pid_t,
        leftBehind: Duration = .milliseconds(Limits.leftBehindMilliseconds)
    ) {
        self.pid = pid
        self.leftBehind = leftBehind
        input = ends[STDIN_FILENO]
        outputs = ends.filter { $0.key != STDIN_FILENO }
        // Input waits for room in `poll`, which takes in output meanwhile.
        if let input { _ = fcntl(input, F_SETFL, O_NONBLOCK) }
    }

    /// Writes all bytes and takes in output until the program has ended. Then it takes in the rest
    /// of the output.
    ///
    /// - Parameters:
    ///   - bytes: The program's input. The rest is dropped when it has ended.
    ///   - gone: Called when it has ended and its id is still its own.
    mutating func run(
        writing bytes: UnsafeRawBufferPointer, gone: () -> Void, take: Take
    ) -> ProgramEnding {
        var rest = bytes[...]
        if rest.isEmpty { closeInput() }
        let process = clinux_process_open(pid)
        // If the kernel has no such descriptor, or a sandbox forbids it, the program is looked at
        // again and again.
        let wait = process < 0 ? Limits.lookMilliseconds : -1
        repeat {
            let ready = poll(for: wait, beside: process)
            read(ready, take)
            if let input, ready.contains(input) { write(&rest, to: input) }
        } while !ProgramWatch.hasEnded(pid)
        if process >= 0 { close(process) }
        closeInput()
        let ending = ProgramWatch.end(of: pid, gone: gone)
        drain(take)
        return ending
    }

    /// Takes in output until every stream has ended, or the time for processes left behind is over.
    private mutating func drain(_ take: Take) {
        let deadline = ContinuousClock.now + leftBehind
        // A stream is in order: these bytes are the program's, all later ones are of others.
        var owed = outputs.mapValues { Int(max(clinux_unread_bytes($0), 0)) }
        while !outputs.isEmpty {
            let left = max(deadline - ContinuousClock.now, .zero)
            if left == .zero {
                for (stream, count) in owed where count <= 0 { closeOutput(stream) }
            }
            let ready = poll(for: Int32((left / .milliseconds(1)).rounded(.up)), beside: -1)
            for (stream, count) in read(ready, take) { owed[stream, default: 0] -= count }
        }
    }

    /// The ends that can be used, behind so many milliseconds at most; -1 waits for ever.
    private func poll(for milliseconds: Int32, beside process: Int32) -> Set<Int32> {
        // A negative descriptor is passed over.
        var entries = [pollfd(fd: process, events: Int16(POLLIN), revents: 0)]
        for end in outputs.values {
            entries.append(pollfd(fd: end, events: Int16(POLLIN), revents: 0))
        }
        if let input { entries.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        guard Glibc.poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }

    private mutating func write(
        _ rest: inout Slice<UnsafeRawBufferPointer>, to input: Int32
    ) {
        let count = Glibc.write(
            input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) }
        if rest.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { closeInput() }
    }

    /// Reads once from each stream that is ready, and returns how many bytes came, by stream.
    @discardableResult
    private mutating func read(_ ready: Set<Int32>, _ take: Take) -> [Int32: Int] {
        var counts: [Int32: Int] = [:]
        for (stream, end) in outputs.sorted(by: <) where ready.contains(end) {
            counts[stream] = read(stream, end, take)
        }
        return counts
    }

    private mutating func read(_ stream: Int32, _ end: Int32, _ take: Take) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            let count = Glibc.read(end, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { return 0 }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<max(count, 0)])
            if count <= 0 || !take(stream, bytes) { closeOutput(stream) }
            return bytes.count
        }
    }

    /// Writes everything to a stream of ours; false if nobody takes it.
    static func handOn(_ bytes: UnsafeRawBufferPointer, to stream: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                stream, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private mutating func closeInput() {
        if let input { close(input) }
        input = nil
    }

    private mutating func closeOutput(_ stream: Int32) {
        if let end = outputs.removeValue(forKey: stream) { close(end) }
    }
}
