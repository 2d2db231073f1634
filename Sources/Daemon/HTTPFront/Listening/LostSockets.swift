internal import Protection
internal import Telemetry

/// Watches the files of unix sockets, and logs each change of one once.
///
/// Used by one thread at a time.
final class LostSockets: Sendable {
    /// The text that was logged last of each path that does not lead to us.
    private let said = Protected<[String: String]>([:])

    /// Looks at the file of a socket.
    ///
    /// - Returns: Another socket at its path, if that was removed and can be bound.
    func look(
        at socket: ListeningSocket, _ log: Log, _ makeFolders: () -> Void
    ) -> ListeningSocket? {
        guard case .unix(let path) = socket.address else { return nil }
        switch socket.sight {
        case nil: return nil
        case .ours:
            if note(nil, of: path) { log.notice("unix:\(path) leads to the bus again") }
            return nil
        case .others:
            let text =
                "unix:\(path) does not lead to the bus any more, but to another file, which stays; "
                + "once that is removed, the bus binds its socket anew"
            if note(text, of: path) { log.error(text) }
            return nil
        case .gone: return bindAnew(socket, path, log, makeFolders)
        }
    }

    private func bindAnew(
        _ socket: ListeningSocket, _ path: String, _ log: Log, _ makeFolders: () -> Void
    ) -> ListeningSocket? {
        makeFolders()
        do throws(ServerError) {
            let new = try socket.openAnew()
            _ = note(nil, of: path)
            log.warning("unix:\(path) was removed, and is bound anew")
            return new
        } catch {
            let text = "unix:\(path) was removed, and cannot be bound anew: \(error.detail)"
            if note(text, of: path) { log.error("\(text); it is tried again every second") }
            return nil
        }
    }

    /// Keeps the text about a path, and returns whether it is news.
    private func note(_ text: String?, of path: String) -> Bool {
        said.write { said in
            defer { said[path] = text }
            return said[path] != text
        }
    }
}
