internal import Glibc
internal import Topics

/// The cursor of `belfry sub --name`, in a file that only one run has at a time.
final class CursorFile: Sendable {
    private let path: String
    private let lock: Int32
    /// Where the last run of this name stopped; nil for the first.
    let start: EventID?

    /// The file of a name, in `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/belfry`, else
    /// `~/.local/state/belfry`.
    init(_ name: String) throws(CommandFailure) {
        guard (1...100).contains(name.utf8.count), name.first != ".",
            name.unicodeScalars.allSatisfy({ scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
                default: false
                }
            })
        else {
            throw CommandFailure(
                .usage, "'--name \(name)' is no name: write letters, digits, - _ .")
        }
        let folder = try Self.folder()
        path = "\(folder)/\(name).cursor"
        lock = open("\(folder)/\(name).lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw CommandFailure(.file, "\(folder) cannot be written: \(TextFile.lastError)")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(.file, "another 'belfry sub --name \(name)' is running")
        }
        guard access(path, F_OK) == 0 else {
            start = nil
            return
        }
        guard let text = TextFile.text(of: path),
            let id = EventID(decimal: text.prefix { $0 != "\n" })
        else {
            throw CommandFailure(.file, "\(path) has no cursor: remove it to begin anew")
        }
        start = id
    }

    deinit { close(lock) }

    /// Keeps a cursor, so that it is there after a crash too.
    func keep(_ cursor: EventID) throws(CommandFailure) {
        guard TextFile.replace(path, by: "\(cursor)\n") else {
            throw CommandFailure(.file, "\(path) cannot be written: \(TextFile.lastError)")
        }
    }

    private static func folder() throws(CommandFailure) -> String {
        if let folder = Session.variable("STATE_DIRECTORY") { return folder }
        let home = Session.variable("HOME").map { "\($0)/.local/state" }
        guard let state = Session.variable("XDG_STATE_HOME") ?? home else {
            throw CommandFailure(
                .file, "there is no HOME, nor STATE_DIRECTORY, to keep a cursor in")
        }
        var made = ""
        for part in "\(state)/belfry".split(separator: "/") {
            made += "/\(part)"
            _ = mkdir(made, 0o700)
        }
        return made
    }
}
