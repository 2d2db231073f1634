/// The bounds of this module, each with the reason for its number.
public enum AccessLimits {
    /// Rules of one configuration: each is a line that a person wrote, and a wildcard subscription
    /// looks at all of them once.
    public static let rulesMax = 1_000

    /// Subjects of one rule: as many as a line of the configuration has room for.
    public static let subjectsMax = 64

    /// Tokens of one file: each costs a comparison for every request that brings one.
    public static let tokensMax = 1_000

    /// Bytes of a token's name, which is shown in logs and answers.
    public static let tokenNameBytesMax = 64

    /// Bytes of a token as a client sends it; those that are made here have 50.
    static let tokenBytesMax = 512

    /// Random bytes in a token that is made here: nobody guesses 256 bits, so that a plain hash of
    /// it is safe to keep.
    static let tokenRandomBytes = 32

    /// Groups of one user: as many as the kernel allows a process to have (NGROUPS_MAX).
    static let groupsMax = 65_536

    /// Users whose groups are remembered; those of the user longest looked up go first.
    static let usersMax = 1_024

    /// Users whose groups may wait to be looked up; beyond it they stay unknown.
    static let lookUpsMax = 256

    /// How long a user's groups are remembered: somebody who was added to a group need not wait
    /// longer for it to count.
    static let groupsSecondsMax = 60

    /// Bytes for the system's record of one user or group: a group of ten thousand members.
    static let recordBytesMax = 1 << 20
}
