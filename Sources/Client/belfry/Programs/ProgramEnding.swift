/// How a program ended.
enum ProgramEnding: Equatable, Sendable {
    /// With this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)

    /// The ending that a status of `waitpid` stands for.
    init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// The exit status that a shell gives for it.
    var code: Int32 {
        switch self {
        case .exited(let status): status
        case .signalled(let signal): 128 + signal
        }
    }

    /// The ending as the end of a sentence.
    var sentence: String {
        switch self {
        case .exited(let status): "ended with \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        }
    }
}
