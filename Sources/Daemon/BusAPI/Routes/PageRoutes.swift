internal import HTTPFront
internal import JSON
internal import Page
internal import Wire

/// The routes of the page for browsers.
struct PageRoutes: Routes {
    let loop: BusLoop

    /// `GET /`: the page for browsers. Other clients get a text that explains the bus and its first
    /// commands.
    func start(_ call: borrowing Call) throws(Refusal) {
        guard configuration.showsPage, call.head.wantsHTML else {
            return try ServiceRoutes(loop: loop).greeting(call)
        }
        answer(with: service.pages.start, call)
    }

    /// `GET /page/{name}`: a part of the page.
    func pagePart(_ call: borrowing Call) throws(Refusal) {
        try show(service.pages.named(call.resource.name), call)
    }

    /// `GET /docs` and `GET /docs/{name}`: a document for people; the first of them has no name.
    func document(_ call: borrowing Call) throws(Refusal) {
        try show(service.pages.document(call.resource.name), call)
    }

    private func show(_ file: PageFile?, _ call: borrowing Call) throws(Refusal) {
        guard configuration.showsPage else {
            throw Refusal(
                .pathUnknown,
                "There is nothing here, because 'page = no' is set in section [http] of belfryd.conf."
            )
        }
        guard let file else { throw Route.nothing(at: call.head.target) }
        answer(with: file, call)
    }

    private func answer(with file: PageFile, _ call: borrowing Call) {
        var headers: HeaderLines = [
            ("ETag", file.entityTag),
            ("Content-Security-Policy", Self.contentPolicy),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        let isKnown = call.head.headers.all("if-none-match").contains { tags in
            tags.split(separator: ",").contains {
                let tag = $0.trimmingBlanks
                return tag == "*"
                    || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == file.entityTag
            }
        }
        if !isKnown { headers.add("Content-Type", file.mediaType) }
        var response = Response(
            status: isKnown ? 304 : 200, headers: headers,
            body: isKnown ? .empty : .bytes(file.bytes))
        response.isRevalidated = true
        call.respond(response)
    }

    /// The rights of the page: it may run its own files, show its own style, and ask this bus. No
    /// other page may frame it, and no text becomes a script or a part of a document.
    private static let contentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"

    /// The redirect of a browser in which a person opened the address of a topic, a group or a list
    /// of them. It leads to the view of it on the page. Nil for programs, and if a form of the
    /// answer is named.
    func placeOnPage(of head: RequestHead, _ resource: Resource) -> Response? {
        guard head.method == "GET", configuration.showsPage,
            head.headers.first("sec-fetch-mode") == "navigate", head.wantsHTML,
            head.target.query.first("as") == nil
        else { return nil }
        let name = head.target.rawLastSegment
        let place: String
        switch resource.kind {
        case .topics: place = "/"
        case .topic: place = "/follow/\(name)"
        case .groups: place = "/work"
        case .group: place = "/work/\(name)"
        default: return nil
        }
        let target = head.target
        return Response(
            status: 303,
            headers: [("Location", "\(target.prefix.text)/#\(place)\(target.rawQuery)")])
    }
}

extension RequestHead {
    /// Whether the client names HTML among the media types that it takes, as browsers do.
    fileprivate var wantsHTML: Bool {
        headers.all("accept").contains { accept in
            accept.split(separator: ",").contains {
                ASCII.isEqualIgnoringCase(String($0).mediaType, "text/html")
            }
        }
    }
}

extension RequestTarget {
    /// The last segment of the path, as it was sent.
    fileprivate var rawLastSegment: Substring {
        rawPath[(rawPath.lastIndex(of: "/").map(rawPath.index(after:)) ?? rawPath.startIndex)...]
    }

    /// The query with its question mark, as it was sent; empty where there is none.
    fileprivate var rawQuery: Substring { raw[(raw.firstIndex(of: "?") ?? raw.endIndex)...] }
}
