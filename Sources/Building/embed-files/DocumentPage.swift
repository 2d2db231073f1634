extension Document {
    /// A part of it under a heading of the second level.
    struct Section {
        /// The identifier by which links lead to it.
        let anchor: String
        /// The words of the heading, as HTML.
        let heading: String
    }

    /// The page that browsers are shown, of the text in Markdown.
    ///
    /// SwiftPM builds this program for every package that depends on this one, for a library alone
    /// too: it compiles where libcmark-gfm is not installed, and does not run there.
    func page(of text: String) throws -> String {
        #if canImport(CMarkGFM)
            let tree = try MarkdownTree(text, of: file)
            tree.becomePage()
            return page(around: tree.html, with: tree.contents)
        #else
            throw EmbeddingFailure("libcmark-gfm is not in /usr/include: run scripts/setup")
        #endif
    }

    private func page(around body: String, with contents: [Section]) -> String {
        """
        <!doctype html>
        <html lang="en">
            <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title) · Belfry</title>
                <link rel="icon" href="/page/icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="/page/page.css">
                <link rel="stylesheet" href="/page/document.css">
                <script type="module" src="/page/documents.js"></script>
            </head>
            <body class="document">
                <a class="skip" href="#document">Skip to the document</a>
                <header class="document-header">
                    <a class="document-home" href="/#/">Belfry</a>
                    <nav aria-label="Documents"><ul>
        \(Self.all.map(row).joined(separator: "\n"))
                        <li><a href="/openapi.yaml">OpenAPI</a></li>
                    </ul></nav>
                </header>
                <div class="document-columns">
                    <nav class="document-contents" aria-label="Contents"><ol>
        \(contents.map(Self.row).joined(separator: "\n"))
                    </ol></nav>
                    <main id="document" class="document-body">
        \(body)</main>
                </div>
            </body>
        </html>

        """
    }

    /// A document in the list of documents, where this one is marked.
    private func row(of other: Document) -> String {
        let mark = other.file == file ? " aria-current=\"page\"" : ""
        return "                <li><a href=\"\(other.address)\"\(mark)>\(other.title)</a></li>"
    }

    private static func row(of section: Section) -> String {
        "<li><a href=\"#\(section.anchor)\">\(section.heading)</a></li>"
    }
}
