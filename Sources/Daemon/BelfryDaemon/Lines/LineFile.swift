internal import Glibc
internal import Protection

/// The destination of lines, with calls that do not wait until somebody reads.
protocol LineFile: Sendable {
    /// The bytes of one write.
    var bytesAtOnce: Int { get }
    /// Whether a write may wait all the same, where another program writes to the same place.
    var mayWait: Bool { get }
    /// Writes as many of the bytes as go in now.
    func write(_ bytes: [UInt8]) -> LineProgress
    /// Waits until more goes in, for so many milliseconds at most.
    func awaitRoom(milliseconds: Int32)
}

/// How far a write came.
enum LineProgress: Equatable {
    /// So many bytes are written.
    case written(Int)
    /// Nothing goes in until somebody reads.
    case full
    /// Nothing goes in, and nothing tells when that changes.
    case failed(Errno)
}

/// An open file, pipe, socket or terminal that lines go to.
///
/// One that other programs have open too, such as a terminal, keeps its settings. If it may wait,
/// it is opened anew, and the settings of the new one are this object's own.
final class LineDescriptor: LineFile {
    private let descriptor: Int32
    private let way: Way

    private enum Way {
        /// A description of our own that does not block, or a file, which waits for its disk alone.
        case write
        case send
        /// A description of somebody else: it is asked first.
        case onceReady
    }

    /// Takes over a descriptor that does not block.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        way = .write
    }

    /// Writes to the file of a descriptor of others; that stays open and as it is.
    init(sharing shared: Int32) {
        var status = stat()
        let kind = fstat(shared, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        if kind == S_IFREG || kind == S_IFSOCK {
            descriptor = fcntl(shared, F_DUPFD_CLOEXEC, 3)
            way = kind == S_IFREG ? .write : .send
            return
        }
        // Without the right to it (a terminal of another user), it is only asked.
        let own = open(
            "/proc/self/fd/\(shared)", O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        way = own >= 0 ? .write : .onceReady
        descriptor = own >= 0 ? own : fcntl(shared, F_DUPFD_CLOEXEC, 3)
    }

    deinit {
        close(descriptor)
    }

    /// A pipe that is ready takes as much without waiting (pipe(7), `PIPE_BUF`).
    var bytesAtOnce: Int { mayWait ? 4_096 : Limits.lineBytesAtOnce }

    var mayWait: Bool {
        if case .onceReady = way { true } else { false }
    }

    func write(_ bytes: [UInt8]) -> LineProgress {
        if mayWait, !isReady(within: 0) { return .full }
        while true {
            let count =
                switch way {
                case .send:
                    send(
                        descriptor, bytes, bytes.count,
                        Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
                case .write, .onceReady: Glibc.write(descriptor, bytes, bytes.count)
                }
            if count > 0 { return .written(count) }
            if count == 0 { return .failed(Errno(EIO)) }
            if errno == EAGAIN { return .full }
            if errno != EINTR { return .failed(.last) }
        }
    }

    func awaitRoom(milliseconds: Int32) {
        _ = isReady(within: milliseconds)
    }

    private func isReady(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}

/// A file that has a path, where lines are added at its end.
///
/// A named pipe that nobody reads yet is opened once somebody does.
final class LogFile: LineFile {
    let path: String
    private let opened: Protected<LineDescriptor?>

    /// Opens the file, or makes it, readable for its group.
    init(_ path: String) throws(DaemonError) {
        self.path = path
        do throws(Errno) {
            opened = Protected(try Self.open(path))
        } catch {
            var status = stat()
            guard error.code == ENXIO, stat(path, &status) == 0,
                status.st_mode & S_IFMT == S_IFIFO
            else {
                throw DaemonError(
                    detail: "the access log \(path) cannot be opened: \(error) "
                        + "(the key is daemon.access_log)")
            }
            opened = Protected(nil)
        }
    }

    var bytesAtOnce: Int { Limits.lineBytesAtOnce }

    var mayWait: Bool { false }

    func write(_ bytes: [UInt8]) -> LineProgress {
        if let file = opened.value { return file.write(bytes) }
        do throws(Errno) {
            let file = try Self.open(path)
            opened.value = file
            return file.write(bytes)
        } catch {
            return .failed(error)
        }
    }

    func awaitRoom(milliseconds: Int32) {
        opened.value?.awaitRoom(milliseconds: milliseconds)
    }

    private static func open(_ path: String) throws(Errno) -> LineDescriptor {
        let descriptor = Glibc.open(
            path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o640)
        guard descriptor >= 0 else { throw Errno.last }
        return LineDescriptor(owning: descriptor)
    }
}
