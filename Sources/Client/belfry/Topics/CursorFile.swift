internal import Glibc
internal import Topics

/// The cursor of a name, in a file that only one run has at a time.
final class CursorFile: Sendable {
    /// The path of the file with the cursor.
    let path: String
    private let lock: Int32
    /// The line with the selector of the cursor; empty if none was given.
    private let ofLine: String
    /// The cursor at which the last run of this name stopped; nil for the first run.
    let start: EventID?
    /// Whether the last run said that nothing is to come behind it.
    let isOver: Bool

    /// The file of a name, in `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/belfry`, else
    /// `~/.local/state/belfry`.
    ///
    /// - Parameter selector: The selector of the cursor: a run with another one would leave out
    ///   events of this one. Nil if the name stands for it. Files of older versions do not have it.
    init(_ name: String, of selector: Selector? = nil) throws(CommandFailure) {
        // Sorted, so that the order in which the terms were written does not matter.
        let terms = selector.map { "\($0)".split(separator: ",").sorted().joined(separator: ",") }
        ofLine = terms.map { Self.ofWord + $0 } ?? ""
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
        lock = try TextFile.open("\(folder)/\(name).lock", O_WRONLY | O_CREAT)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(.file, "another run with the cursor '\(name)' is running")
        }
        guard access(path, F_OK) == 0 else {
            (start, isOver) = (nil, false)
            return
        }
        let lines = try TextFile.text(of: path).split(separator: "\n")
        guard let id = lines.first.flatMap({ EventID(decimal: $0) }) else {
            throw CommandFailure(.file, "\(path) has no cursor: remove it to begin anew")
        }
        if let terms, let other = lines.first(where: { $0.hasPrefix(Self.ofWord) }),
            other != ofLine
        {
            throw CommandFailure(
                .usage,
                "the cursor '\(name)' is of another selector: give another name, or remove the line "
                    + "'\(other)' from \(path) to go on there with \(terms)")
        }
        start = id
        isOver = lines.contains { $0 == Self.overLine }
    }

    deinit { close(lock) }

    /// Keeps a cursor, so that it is there after a crash too.
    ///
    /// - Parameter isOver: Whether nothing is to come behind it, until somebody removes that line.
    func keep(_ cursor: EventID, isOver: Bool = false) throws(CommandFailure) {
        let lines = ["\(cursor)", ofLine, isOver ? Self.overLine : ""].filter { !$0.isEmpty }
        guard TextFile.replace(path, by: lines.map { $0 + "\n" }.joined()) else {
            throw CommandFailure(
                .file,
                "\(path) cannot be replaced by way of \(path).new: \(TextFile.lastError)")
        }
    }

    /// The line below a cursor after which nothing is to come.
    private static let overLine = "over"
    /// The beginning of the line with the selector.
    private static let ofWord = "of "

    /// The folder of cursors, which nobody else may write: a replaced cursor has events left out,
    /// or sent again.
    private static func folder() throws(CommandFailure) -> String {
        let service = Session.variable("STATE_DIRECTORY")
        let folder = if let service { service } else { try ownFolder() }
        try TextFile.check(folder: folder)
        return folder
    }

    private static func ownFolder() throws(CommandFailure) -> String {
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
