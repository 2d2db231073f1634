internal import BelfryClient
internal import Topics

/// `belfry later`: events that are held until they are due.
enum LaterCommands {
    static func list(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let client = session.client
        var rows: [[String]] = []
        var place: EventID? = .zero
        while let from = place {
            let page = try await session.ask { () throws(ClientError) in
                try await client.tickets(of: topic, after: from)
            }
            if arguments.has("--json") {
                for ticket in page.tickets { Output.standard.write(json: ticket.json) }
                try Output.standard.flush()
            }
            rows += page.tickets.map { ticket in
                [
                    "\(ticket.id)", "\(ticket.due)", ticket.type ?? "-", ticket.key ?? "-",
                    "\(ticket.count ?? 1)", "\(ticket.bytes ?? 0)", ticket.every ?? "",
                    ticket.name ?? "",
                ]
            }
            place = page.next
        }
        guard !arguments.has("--json") else { return }
        PrintedTable.print(
            ["TICKET", "DUE", "TYPE", "KEY", "EVENTS", "BYTES", "EVERY", "NAME"], rows)
    }

    static func cancel(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let client = session.client
        for ticket in arguments.operands.dropFirst() {
            do throws(CommandFailure) {
                try await session.ask(isRepeatable: true) { () throws(ClientError) in
                    try await client.cancel(ticket, of: topic)
                }
            } catch {
                switch error.refusal?.code {
                case "EVENT_PUBLISHED", "LATER_UNKNOWN":
                    throw CommandFailure(.nothing, error.sentence)
                default: throw error
                }
            }
        }
    }
}
