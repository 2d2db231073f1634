internal import Digests

/// One file of the page that browsers are shown: its bytes are part of the program.
///
/// Promises that equal bytes have an equal tag, and different ones different tags.
public struct PageFile: Sendable {
    /// Its media type, as `Content-Type` has it.
    public let mediaType: String
    /// What it holds.
    public let bytes: [UInt8]
    /// Its entity tag, with the quotes (RFC 9110 section 8.8.3).
    public let entityTag: String

    private init(_ bytes: [UInt8], _ mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        let digest = bytes.withUnsafeBytes { Digest.sha256($0) }
        entityTag = "\"\(Base64.text(Array(digest.prefix(18))))\""
    }

    /// The page itself, which asks for the other files.
    public static let start = PageFile(PackageResources.index_html, html)

    /// The files that the page and the documents ask for, by their names; nil for an unknown name.
    public static func named(_ name: String) -> PageFile? { parts[name] }

    /// The documents for people, by the names of their addresses; nil for an unknown name.
    public static func document(_ name: String) -> PageFile? { documents[name] }

    private static let html = "text/html; charset=utf-8"
    private static let style = "text/css; charset=utf-8"
    private static let image = "image/svg+xml"
    private static let script = "text/javascript; charset=utf-8"

    private static let documents: [String: PageFile] = [
        "http-api": PageFile(PackageResources.http_api_html, html),
        "recipes": PageFile(PackageResources.recipes_html, html),
        "command": PageFile(PackageResources.command_html, html),
    ]

    private static let parts: [String: PageFile] = [
        "answer.js": PageFile(PackageResources.answer_js, script),
        "app.js": PageFile(PackageResources.app_js, script),
        "bus.js": PageFile(PackageResources.bus_js, script),
        "connection.js": PageFile(PackageResources.connection_js, script),
        "curl.js": PageFile(PackageResources.curl_js, script),
        "curve.js": PageFile(PackageResources.curve_js, script),
        "document.css": PageFile(PackageResources.document_css, style),
        "documents.js": PageFile(PackageResources.documents_js, script),
        "dom.js": PageFile(PackageResources.dom_js, script),
        "dump.js": PageFile(PackageResources.dump_js, script),
        "events.css": PageFile(PackageResources.events_css, style),
        "events.js": PageFile(PackageResources.events_js, script),
        "feed.js": PageFile(PackageResources.feed_js, script),
        "figures.js": PageFile(PackageResources.figures_js, script),
        "folding.js": PageFile(PackageResources.folding_js, script),
        "follow.js": PageFile(PackageResources.follow_js, script),
        "grid.js": PageFile(PackageResources.grid_js, script),
        "group.js": PageFile(PackageResources.group_js, script),
        "groups.js": PageFile(PackageResources.groups_js, script),
        "icon.svg": PageFile(PackageResources.icon_svg, image),
        "json.js": PageFile(PackageResources.json_js, script),
        "learn.js": PageFile(PackageResources.learn_js, script),
        "letters.js": PageFile(PackageResources.letters_js, script),
        "list.js": PageFile(PackageResources.list_js, script),
        "moment.js": PageFile(PackageResources.moment_js, script),
        "names.js": PageFile(PackageResources.names_js, script),
        "overview.css": PageFile(PackageResources.overview_css, style),
        "overview.js": PageFile(PackageResources.overview_js, script),
        "page.css": PageFile(PackageResources.page_css, style),
        "parts.js": PageFile(PackageResources.parts_js, script),
        "payload.js": PageFile(PackageResources.payload_js, script),
        "poll.js": PageFile(PackageResources.poll_js, script),
        "pool.js": PageFile(PackageResources.pool_js, script),
        "publish.js": PageFile(PackageResources.publish_js, script),
        "reading.js": PageFile(PackageResources.reading_js, script),
        "ring.js": PageFile(PackageResources.ring_js, script),
        "rows.js": PageFile(PackageResources.rows_js, script),
        "selection.js": PageFile(PackageResources.selection_js, script),
        "shell.css": PageFile(PackageResources.shell_css, style),
        "stream.js": PageFile(PackageResources.stream_js, script),
        "table.js": PageFile(PackageResources.table_js, script),
        "text.js": PageFile(PackageResources.text_js, script),
        "theme.js": PageFile(PackageResources.theme_js, script),
        "times.js": PageFile(PackageResources.times_js, script),
        "token.js": PageFile(PackageResources.token_js, script),
        "topics.js": PageFile(PackageResources.topics_js, script),
        "tree.js": PageFile(PackageResources.tree_js, script),
        "work.js": PageFile(PackageResources.work_js, script),
    ]
}
