#if canImport(CMarkGFM)
    internal import CMarkGFM
    internal import Foundation

    /// A text in Markdown as the tree that cmark-gfm makes of it, and owner of that tree.
    final class MarkdownTree {
        /// The sections in their order, once the tree has become a page.
        private(set) var contents: [Document.Section] = []

        private let root: OpaquePointer

        /// Refuses HTML in the text: the daemon would serve it as it is.
        init(_ text: String, of file: String) throws {
            cmark_gfm_core_extensions_ensure_registered()
            guard let parser = cmark_parser_new(CMARK_OPT_DEFAULT) else {
                throw EmbeddingFailure("cmark-gfm makes no parser")
            }
            defer { cmark_parser_free(parser) }
            guard let tables = cmark_find_syntax_extension("table"),
                cmark_parser_attach_syntax_extension(parser, tables) != 0
            else { throw EmbeddingFailure("this cmark-gfm knows no tables") }
            cmark_parser_feed(parser, text, text.utf8.count)
            guard let root = cmark_parser_finish(parser) else {
                throw EmbeddingFailure("cmark-gfm makes no tree of \(file)")
            }
            self.root = root
            for node in nodes(["html_block", "html_inline"]) {
                throw EmbeddingFailure(
                    "\(file):\(cmark_node_get_start_line(node)): HTML has no place here")
            }
        }

        deinit { cmark_node_free(root) }

        /// The tree as HTML.
        var html: String { html(of: root) }

        /// Gives every heading an anchor, and lets links lead to places that the daemon shows. Lets
        /// code and tables be scrolled by themselves, with the keyboard too.
        func becomePage() {
            for link in nodes(["link"]) { lead(link) }
            for block in nodes(["heading", "code_block", "table"]) {
                switch kind(of: block) {
                case "heading": replace(block, with: heading(block))
                case "code_block": replace(block, with: code(block))
                default: replace(block, with: table(block))
                }
            }
        }

        // MARK: Nodes of a page

        /// A link to a place that the daemon shows; for all else, and in a heading, the words
        /// alone.
        private func lead(_ link: OpaquePointer) {
            let isInHeading = kind(of: cmark_node_parent(link)) == "heading"
            if !isInHeading, let place = Document.place(of: Self.text(cmark_node_get_url(link))) {
                let other = place.hasPrefix("https://") ? " rel=\"noreferrer\"" : ""
                let opening = node(
                    CMARK_NODE_HTML_INLINE, "<a href=\"\(Self.escaped(place))\"\(other)>")
                cmark_node_insert_before(link, opening)
                cmark_node_insert_after(link, node(CMARK_NODE_HTML_INLINE, "</a>"))
            }
            while let child = cmark_node_first_child(link) { cmark_node_insert_before(link, child) }
            cmark_node_free(link)
        }

        private func heading(_ heading: OpaquePointer) -> String {
            let level = cmark_node_get_heading_level(heading)
            var (words, html) = ("", "")
            for child in children(of: heading) {
                words += nodes(["text", "code"], in: child)
                    .map { Self.text(cmark_node_get_literal($0)) }.joined()
                html += self.html(of: child)
            }
            let anchor = Self.anchor(of: words)
            if level == 2 { contents.append(Document.Section(anchor: anchor, heading: html)) }
            return "<h\(level) id=\"\(anchor)\">\(html)</h\(level)>"
        }

        private func code(_ block: OpaquePointer) -> String {
            let language = Self.text(cmark_node_get_fence_info(block)).prefix { $0 != " " }
            let mark =
                language.isEmpty ? "" : " data-language=\"\(Self.escaped(String(language)))\""
            let code = Self.escaped(Self.text(cmark_node_get_literal(block)))
            return "<pre tabindex=\"0\"\(mark)><code>\(code)</code></pre>"
        }

        /// A table whose rows have names has an empty corner, which is no header.
        private func table(_ table: OpaquePointer) -> String {
            let rows = html(of: table).replacing("<th></th>", with: "<td></td>").dropLast()
            return "<div class=\"table-scroll\" tabindex=\"0\">\(rows)</div>"
        }

        /// The anchor of a heading, as GitHub has it, for which the links of the documents are written.
        private static func anchor(of words: String) -> String {
            String(
                words.lowercased().compactMap {
                    $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil
                })
        }

        private static func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
        }

        // MARK: The tree

        /// The nodes of some kinds at and below one, or in the whole tree, in the order of the text.
        private func nodes(_ kinds: Set<String>, in top: OpaquePointer? = nil) -> [OpaquePointer] {
            guard let iterator = cmark_iter_new(top ?? root) else { return [] }
            defer { cmark_iter_free(iterator) }
            var found: [OpaquePointer] = []
            while true {
                let event = cmark_iter_next(iterator)
                guard event != CMARK_EVENT_DONE else { return found }
                guard event == CMARK_EVENT_ENTER, let node = cmark_iter_get_node(iterator),
                    kinds.contains(kind(of: node))
                else { continue }
                found.append(node)
            }
        }

        private func children(of node: OpaquePointer) -> [OpaquePointer] {
            Array(
                sequence(first: cmark_node_first_child(node)) { cmark_node_next($0) }.compactMap(
                    \.self)
            )
        }

        private func kind(of node: OpaquePointer?) -> String {
            Self.text(cmark_node_get_type_string(node))
        }

        /// A node of HTML, which belongs to the caller until it is put into the tree.
        private func node(_ type: cmark_node_type, _ html: String) -> OpaquePointer? {
            let node = cmark_node_new(type)
            cmark_node_set_literal(node, html)
            return node
        }

        private func replace(_ old: OpaquePointer, with html: String) {
            cmark_node_replace(old, node(CMARK_NODE_HTML_BLOCK, html))
            cmark_node_free(old)
        }

        /// Without `CMARK_OPT_UNSAFE` the nodes of HTML would be left out; the text had none of its own.
        private func html(of node: OpaquePointer) -> String {
            guard let html = cmark_render_html(node, CMARK_OPT_UNSAFE, nil) else { return "" }
            defer { free(html) }
            return String(cString: html)
        }

        private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
            bytes.map { String(cString: $0) } ?? ""
        }
    }
#endif
