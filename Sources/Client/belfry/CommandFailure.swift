internal import BelfryClient

/// Why a command ends without having done what it was asked for.
struct CommandFailure: Error {
    let code: CommandExit
    /// What was wrong and what to do; nil where the code says it all.
    let sentence: String?
    /// What the bus said where it refused; nil for every other reason.
    private(set) var refusal: BusRefusal?

    init(_ code: CommandExit, _ sentence: String? = nil) {
        self.code = code
        self.sentence = sentence
    }

    /// What a failure of the client is to the command.
    init(_ error: ClientError) {
        switch error {
        case .refused(let refusal):
            self.init(.refused, "\(error)")
            self.refusal = refusal
        case .unreachable, .uncertified, .malformedAnswer, .cancelled:
            self.init(.unreachable, "\(error)")
        case .untrusted:
            self.init(
                .unreachable,
                "\(error): start the bus there, write the address of its unix socket or an https one, "
                    + "or give '--trust-anyone'")
        case .outcomeUnknown: self.init(.unknown, "\(error)")
        case .unsendable: self.init(.usage, "\(error)")
        }
    }
}
