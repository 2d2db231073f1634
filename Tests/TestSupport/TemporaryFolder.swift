internal import Glibc

/// A folder that is gone, with all that is in it, when this object is.
public final class TemporaryFolder {
    /// Its path, without a slash at its end.
    public let path: String

    /// Makes an empty folder.
    ///
    /// - Parameters:
    ///   - inMemory: Whether it is to lie in memory if the system has a place there, where a sync
    ///     costs nothing.
    public init(inMemory: Bool = false) {
        let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/belfry-test-XXXXXX".utf8CString)
        let made = mkdtemp(&template) != nil
        precondition(made, "no temporary folder could be made: errno \(errno)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// Writes a file, replacing one of that name, and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) -> String {
        let file = "\(path)/\(name)"
        guard let stream = fopen(file, "we") else {
            preconditionFailure("\(file) could not be written: errno \(errno)")
        }
        fputs(text, stream)
        fclose(stream)
        return file
    }

    /// Writes a program, replacing one of that name, and returns its path.
    ///
    /// A child of its own writes it: what this process has open for writing a child of another
    /// test may have too until it runs its own program, and such a file cannot be run (ETXTBSY).
    @discardableResult
    public func writeProgram(_ text: String, to name: String) throws(ChildProcess.Failure)
        -> String
    {
        let file = "\(path)/\(name)"
        let writer = try ChildProcess("/bin/sh", ["-c", "cat >\"$0\" && chmod 755 \"$0\"", file])
        try writer.write(Array(text.utf8))
        guard try writer.wait() == .exited(0) else {
            throw .ended(output: "", errors: writer.text(of: .errors))
        }
        return file
    }

    /// The text of a file, of any folder; nothing where there is none.
    public func text(of file: String) -> String {
        String(decoding: Self.bytes(of: file) ?? [], as: UTF8.self)
    }

    /// The bytes of a file, of any folder; nil where none can be read.
    ///
    /// Foundation does not free the buffer of an empty file that it reads, which is a leak to the address sanitizer.
    public static func bytes(of file: String) -> [UInt8]? {
        guard let stream = fopen(file, "re") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&piece, 1, piece.count, stream)
            if count == 0 { return ferror(stream) == 0 ? bytes : nil }
            bytes += piece[..<count]
        }
    }

    /// Gives a file another name.
    public func rename(_ name: String, to other: String) {
        let result = Glibc.rename("\(path)/\(name)", "\(path)/\(other)")
        precondition(result == 0, "\(name) could not be renamed: errno \(errno)")
    }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in FolderNames.all(in: path) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
