internal import BelfryClient
internal import Glibc
internal import Topics

/// `belfry ask`.
enum AskCommand {
    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let metadata = try Publishing.metadata(arguments, areLines: false)
        let payload = try Publishing.payload(arguments)
        let timeout = try arguments.duration("--timeout") ?? Limits.replyMicroseconds
        let client = session.client
        let outcome: Result<ClientReply, ClientError> = try await session.ask {
            () throws(ClientError) in
            do throws(ClientError) {
                return .success(
                    try await client.ask(
                        payload, of: topic, metadata: metadata, within: timeout))
            } catch {
                // Both are answers: a bus that is there says them.
                guard case .refused(let refusal) = error,
                    ["NO_RESPONDER", "REPLY_TIMEOUT"].contains(refusal.code)
                else { throw error }
                return .failure(error)
            }
        }
        switch outcome {
        case .success(.replied(let reply, _)): print(reply)
        case .success(.refused(let reply, _)):
            // Most programs print lines: the end of the last one is not a part of the reason.
            let end = reply.text.last?.isNewline == true ? 1 : 0
            let reason = String(reply.text.dropLast(end))
            throw CommandFailure(
                .refusedByWorker, "the worker refused it" + (reason.isEmpty ? "" : ": \(reason)"))
        case .failure(.refused(let refusal)):
            throw CommandFailure(
                refusal.code == "NO_RESPONDER" ? .noResponder : .nothing, "\(refusal)")
        case .failure(let error): throw CommandFailure(error)
        }
    }

    /// The bytes as they are; in a terminal a line.
    private static func print(_ reply: Payload) {
        Output.standard.write(reply.bytes)
        if Output.standard.isTerminal, reply.bytes.last != 0x0A { Output.standard.write("\n") }
    }
}
