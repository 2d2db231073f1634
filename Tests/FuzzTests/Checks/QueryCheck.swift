import HTTPFront
import Wire

@testable import BusAPI

extension ParserCheck {
    /// What a query says is within its range, and the target of the next poll says the same but
    /// for its cursor.
    static let query = ParserCheck("query", bytesMax: 256) { input in
        guard let target = try? RequestTarget("/topics/a?" + input.text) else { return }
        guard let parameters = try? Parameters(target.query, known: ReceiveRequest.parameters)
        else { return }
        try checkNextTarget(of: target)
        let names = target.query.map(Parameters.name)
        let attributes = Set(
            parameters.attributes.map { WireAttribute.parameterPrefix + $0.name })
        try hold(
            names.allSatisfy {
                ReceiveRequest.parameters.contains($0) || attributes.contains($0)
            }, "an unknown parameter")
        try agree(Set(names).count, names.count, "parameters, and those with a name of their own")
        if let wait = try? parameters.duration("wait", in: 0...3_600_000_000) {
            try hold((0...3_600_000_000).contains(wait), "a wait of \(wait)")
            try agree(Quantity.microseconds(parameters.text("wait")!), wait, "wait")
        }
        if let max = try? parameters.count("max", in: 1...10_000) {
            try hold((1...10_000).contains(max), "a maximum of \(max)")
        }
        if let name = parameters.text("as"),
            let form = try? EventForm.chosen(head(of: target), parameters)
        {
            try agree("\(form)", name, "form")
        }
    }

    private static func head(of target: RequestTarget) -> RequestHead {
        RequestHead(method: "GET", target: target)
    }

    private static func checkNextTarget(of target: RequestTarget) throws {
        let next = try RequestTarget(ReceiveRequest.nextTarget(target) + "7")
        try agree(next.path, target.path, "path")
        let kept = target.query.filter {
            !["since", "lastEventId"].contains(Parameters.name(of: $0))
        }
        try agree(next.query.map(\.name), kept.map(\.name) + ["since"], "names of the next")
        try agree(next.query.map(\.value), kept.map(\.value) + ["7"], "values of the next")
    }
}
