internal import Glibc
internal import Protection

/// Reading of small files.
enum FileText {
    /// Why a file could not be read.
    struct Failure: Error {
        /// The problem and its remedy.
        let detail: String
        /// Whether there is no such file.
        let isMissing: Bool
        /// The line that it is about; 0 for the file as a whole.
        var line = 0
    }

    /// The whole of a file, unless `objection` returns one to its status (stat(2)).
    static func read(
        _ path: String, bytesMax: Int, objection: (stat) -> String? = { _ in nil }
    ) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        if let detail = objection(status) { throw Failure(detail: detail, isMissing: false) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            guard count > 0 else { return text }
            text += chunk[..<count]
            guard text.count <= bytesMax else {
                throw Failure(
                    detail: "it has more than \(bytesMax) bytes: this is no configuration file",
                    isMissing: false)
            }
        }
    }

    private static func failure() -> Failure {
        let code = errno
        return Failure(detail: "it cannot be read: \(Errno(code))", isMissing: code == ENOENT)
    }
}
