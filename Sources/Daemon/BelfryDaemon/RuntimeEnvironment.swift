/// The environment of the daemon, which it does not choose: folders it was given, and its user.
public struct RuntimeEnvironment: Equatable, Sendable {
    /// The folder from systemd for files that outlive the process.
    public var stateDirectory: String?
    /// The folder from systemd for files that do not.
    public var runtimeDirectory: String?
    /// The folder in which programs of this user keep state (XDG base directories).
    public var userState: String?
    /// The folder in which programs of this user keep sockets (XDG base directories).
    public var userRuntime: String?
    /// The user's folder.
    public var home: String?
    /// The user that the daemon runs as.
    public var uid: UInt32

    /// The folders that these variables of an environment name. Relative paths count as absent, as
    /// the XDG specification wants it, and of several folders of systemd the first is ours.
    public init(environment: [String: String], uid: UInt32) {
        func path(_ variable: String) -> String? {
            let first = environment[variable]?.split(separator: ":").first
            return first.flatMap { $0.hasPrefix("/") ? String($0) : nil }
        }
        stateDirectory = path("STATE_DIRECTORY")
        runtimeDirectory = path("RUNTIME_DIRECTORY")
        userState = path("XDG_STATE_HOME")
        userRuntime = path("XDG_RUNTIME_DIR")
        home = path("HOME")
        self.uid = uid
    }
}
