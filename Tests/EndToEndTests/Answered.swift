import TestSupport

/// An answer but for what differs between any two: when it was given, ids, and the daemon's port.
struct Answered: Equatable, CustomStringConvertible {
    let description: String
    let closes: Bool

    init(_ answer: RawClient.Answer, at port: UInt16? = nil) {
        let masked = [
            "date", "event-id", "event-time", "location", "event-cursor", "event-oldest", "link",
        ]
        let headers = answer.headers.map { name, value in
            masked.contains(name.lowercased()) ? name : "\(name): \(value)"
        }
        var text = ""
        for part in answer.text.split(separator: ",", omittingEmptySubsequences: false) {
            let isOwn = ["\"id\":", "\"first\":", "\"last\":", "\"time\":", "\"cursor\":"].contains
            {
                part.contains($0)
            }
            text += isOwn ? "…," : part + ","
        }
        // Their order says nothing.
        var description = ([answer.statusLine] + headers.sorted() + [text]).joined(separator: "\n")
            .replacing(port.map { "\($0)" } ?? "no port", with: "…").replacing(
                /through\W+\d+/, with: "through …")
        // One more header in front counts.
        if description.contains(/header \d+/) {
            description = description.replacing(/header \d+/, with: "header …")
                .replacing(/Content-Length: \d+/, with: "Content-Length: …")
        }
        self.description = description
        closes = answer.header("connection") == "close"
    }
}

extension String {
    /// The request with one more header, which says nothing and whose name no request had before: it is like
    /// no other.
    var unknown: String {
        replacing("\r\n", with: "\r\n\(Self.newHeaderName): x\r\n", maxReplacements: 1)
    }

    static var newHeaderName: String { "X-Once-\(UInt64.random(in: 0 ... .max))" }
}
