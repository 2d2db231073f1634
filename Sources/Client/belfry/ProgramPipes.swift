internal import Glibc

/// Our ends of the pipes of a running program: what goes in, and what comes out as it comes.
///
/// Used by one thread, which blocks SIGPIPE: a program that does not read its input is no failure.
struct ProgramPipes {
    private var input: Int32?
    private var outputs: [Int32: Int32]

    /// The ends by stream, which it closes.
    init(_ ends: [Int32: Int32]) {
        input = ends[STDIN_FILENO]
        outputs = ends.filter { $0.key != STDIN_FILENO }
        // What is written waits for room in `poll`, where output is taken in meanwhile.
        if let input { _ = fcntl(input, F_SETFL, O_NONBLOCK) }
    }

    /// Writes all bytes, and takes in what comes until every stream has ended.
    ///
    /// - Parameter take: Gets the stream and its bytes, valid during the call. Where it returns false
    ///   the stream is closed, as it would be for the program alone.
    mutating func run(
        writing bytes: UnsafeRawBufferPointer, take: (Int32, UnsafeRawBufferPointer) -> Bool
    ) {
        var rest = bytes[...]
        if rest.isEmpty { closeInput() }
        while input != nil || !outputs.isEmpty {
            var entries = outputs.map { pollfd(fd: $0.value, events: Int16(POLLIN), revents: 0) }
            if let input { entries.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            let ready = Set(entries.filter { $0.revents != 0 }.map(\.fd))
            for (stream, end) in outputs.sorted(by: <) where ready.contains(end) {
                read(stream, end, take)
            }
            if let input, ready.contains(input) { write(&rest, to: input) }
        }
    }

    private mutating func write(
        _ rest: inout Slice<UnsafeRawBufferPointer>, to input: Int32
    ) {
        let count = Glibc.write(
            input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) }
        if rest.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { closeInput() }
    }

    private mutating func read(
        _ stream: Int32, _ end: Int32, _ take: (Int32, UnsafeRawBufferPointer) -> Bool
    ) {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            let count = Glibc.read(end, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { return }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<max(count, 0)])
            if count > 0, take(stream, bytes) { return }
            close(end)
            outputs[stream] = nil
        }
    }

    private mutating func closeInput() {
        if let input { close(input) }
        input = nil
    }
}
