internal import BelfryClient

/// The reason why a command ends without success.
struct CommandFailure: Error {
    let code: CommandExit
    /// The problem and its remedy; nil if the code says it all.
    let sentence: String?
    /// The refusal of the bus; nil for every other reason.
    private(set) var refusal: BusRefusal?

    init(_ code: CommandExit, _ sentence: String? = nil) {
        self.code = code
        self.sentence = sentence
    }

    /// The failure of the command that follows from one of the client.
    init(_ error: ClientError) {
        switch error {
        case .refused(let refusal):
            let isCondition = refusal.code == "PRECONDITION_FAILED"
            self.init(isCondition ? .conditionFailed : .refused, "\(error)")
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
