public import Access
internal import Glibc

/// The file of tokens: its path, and the tokens that it held when it was read.
public struct TokensFile: Equatable, Sendable {
    /// Its path; nil for the credential of that name that systemd may hand over.
    public var path: String?
    /// The tokens.
    public internal(set) var table = TokenTable()
    /// The path at which they were read; nil if there was no file to read.
    private(set) var source: String?
    /// Whether every user may read the hashes, and try guesses against them.
    private(set) var isReadableByAll = false

    /// No file, and no tokens.
    public init() {}

    init(path: String?) {
        self.path = path
    }

    /// Reads the file that was configured, or else the credential `tokens`, if there is one.
    ///
    /// - Throws: The problem of the file. It is one if others than root and the daemon's user may
    ///   write it, because they could let themselves in.
    mutating func read(environment: [String: String]) throws(ConfigurationProblems) {
        let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/tokens" }
        guard let path = path ?? credential else { return }
        do throws(FileText.Failure) {
            var mode: mode_t = 0
            let text = try FileText.read(path, bytesMax: Limits.fileBytesMax) { status in
                mode = status.st_mode
                return Self.objection(to: status)
            }
            table = try Self.table(text, path)
            source = path
            isReadableByAll = mode & S_IROTH != 0
        } catch let failure {
            if failure.isMissing, self.path == nil { return }
            throw failure.problems(path)
        }
    }

    private static func objection(to status: stat) -> String? {
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0, status.st_mode & S_IFMT == S_IFREG {
            return "other users may write it, and so grant themselves access: chmod go-w"
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            return
                "it belongs to user \(status.st_uid), who could grant access: it has to belong "
                + "to root or to the daemon's user"
        }
        return nil
    }

    private static func table(
        _ text: [UInt8], _ path: String
    ) throws(FileText.Failure) -> TokenTable {
        do throws(AccessError) {
            return try TokenTable(text)
        } catch {
            throw FileText.Failure(detail: error.detail, isMissing: false, line: error.line ?? 0)
        }
    }
}

extension FileText.Failure {
    fileprivate func problems(_ path: String) -> ConfigurationProblems {
        ConfigurationProblems(.file(path, line: line), "access.tokens: \(detail)")
    }
}
