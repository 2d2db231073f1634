/// A document for people: a file of `docs/` that the daemon shows at an address of its own.
struct Document {
    /// The name of its file.
    let file: String
    /// The path at which the daemon shows it.
    let address: String
    /// Its name in the list of documents.
    let title: String

    /// All of them, in the order of that list.
    static let all = [
        Document(file: "http-api.md", address: "/docs", title: "HTTP interface"),
        Document(file: "http-events.md", address: "/docs/http-events", title: "Events"),
        Document(file: "http-streams.md", address: "/docs/http-streams", title: "Streams"),
        Document(file: "http-topics.md", address: "/docs/http-topics", title: "Topics"),
        Document(file: "http-work.md", address: "/docs/http-work", title: "Work"),
        Document(file: "http-access.md", address: "/docs/http-access", title: "Access"),
        Document(file: "http-errors.md", address: "/docs/http-errors", title: "Errors"),
        Document(file: "recipes.md", address: "/docs/recipes", title: "Recipes"),
        Document(file: "command.md", address: "/docs/command", title: "The command belfry"),
    ]

    static func named(_ file: String) throws -> Document {
        guard let document = all.first(where: { $0.file == file }) else {
            throw EmbeddingFailure("\(file) has no row in Document.all: add its address and title")
        }
        return document
    }

    /// The place that a link of a document leads to on the page; nil where the daemon shows no such
    /// thing.
    static func place(of target: String) -> String? {
        if target.hasPrefix("https://") { return target }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let anchor = parts.count > 1 ? "#\(parts[1])" : ""
        switch parts[0] {
        case "": return anchor
        case "openapi.yaml": return "/openapi.yaml\(anchor)"
        default: return all.first { $0.file == parts[0] }.map { $0.address + anchor }
        }
    }
}
