internal import HTTPFront
internal import Topics
internal import Work

extension Refusal {
    /// A refusal by a group, in the words of the contract.
    init(_ error: WorkError) {
        let code: ProblemCode
        switch error {
        case .bus(let error):
            self.init(error)
            return
        case .groupUnknown(let name):
            // The same sentence for a group that its caller may not know of.
            self.init(
                .groupUnknown,
                "There is no group \(name), or this caller may not know of it: make it first, or ask "
                    + "for the right to receive from all its topics.")
            return
        case .selectorMissing, .valueInvalid, .deadInside, .deadMissing, .lettersCircle:
            code = .parameterInvalid
        case .groupDiffers: code = .groupDiffers
        case .groupHeld: code = .groupHeld
        case .groupDeleted: code = .groupDeleted
        case .repliesNot: code = .bodyNotExpected
        case .lettersRefused: code = .accessDenied
        case .lettersUnjudged: code = .limitBus
        case .leaseLost, .workerReplaced: code = .leaseLost
        case .jobSettled: code = .jobSettled
        case .jobDead: code = .jobDead
        case .limit(.groupsOfCaller, _), .limit(.requestsOfCaller, _): code = .limitCaller
        case .limit: code = .limitBus
        case .letterUnknown: code = .eventUnknown
        case .letterRevived: code = .jobSettled
        case .noResponder: code = .noResponder
        case .replyTimeout: code = .replyTimeout
        case .replyRefused: code = .replyRefused
        }
        self.init(code, error.description.asSentence)
        if case .workerReplaced = error { retrySeconds = Limits.replacedPauseSeconds }
    }
}
