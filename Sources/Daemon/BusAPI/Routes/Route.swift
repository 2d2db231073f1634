internal import HTTPFront
internal import Topics
internal import Wire
internal import Work

/// One request that the bus knows: the single table behind dispatch, `Allow` and the parameters
/// that a request may have.
struct Route: Sendable {
    typealias Service = @Sendable (BusLoop) -> (borrowing Call) throws(Refusal) -> Void

    let method: String
    let resource: Resource.Kind
    let parameters: [String]
    /// Whether it looks at conditions, or has nothing that they could keep from being changed.
    let takesConditions: Bool
    let serve: Service

    /// Every route, as the HTTP contract lists them.
    static let all: [Route] = [
        Route("POST", .topic, PublishRoute.parameters) { PublishRoute(loop: $0).publish },
        Route("GET", .topic, ReceiveRequest.parameters) { ReceiveRoute(loop: $0).receive },
        Route("HEAD", .topic, []) { TopicRoutes(loop: $0).summary },
        Route("PUT", .topic, TopicSetting.all.map(\.name)) { TopicRoutes(loop: $0).register },
        Route("DELETE", .topic, []) { TopicRoutes(loop: $0).remove },
        Route("GET", .topics, ["match", "since", "wait"]) { TopicRoutes(loop: $0).list },
        Route("DELETE", .topics, ["match"]) { TopicRoutes(loop: $0).removeMatching },
        Route("GET", .laterList, ["after", "max"]) { LaterRoutes(loop: $0).list },
        Route("GET", .later, []) { LaterRoutes(loop: $0).show },
        Route("PUT", .later, PublishRoute.scheduleParameters) { PublishRoute(loop: $0).schedule },
        Route("DELETE", .later, []) { LaterRoutes(loop: $0).cancel },
        Route("GET", .event, []) { EventRoute(loop: $0).event },
        Route("GET", .subscribers, ["topic"]) { SubscribersRoute(loop: $0).listSubscribers },
        Route("GET", .groups, []) { GroupRoutes(loop: $0).listGroups },
        Route("PUT", .group, GroupSetting.all.map(\.parameter)) { GroupRoutes(loop: $0).setGroup },
        Route("GET", .group, []) { GroupRoutes(loop: $0).showGroup },
        Route("DELETE", .group, ["force"]) { GroupRoutes(loop: $0).removeGroup },
        Route("GET", .jobs, ["after", "max"]) { GroupRoutes(loop: $0).jobs },
        Route("POST", .next, NextQuery.parameters) { NextRoute(loop: $0).next },
        Route("POST", .done, ["lease", "only"] + SettleQuery.outputParameters) {
            SettleRoutes(loop: $0).done
        },
        Route("POST", .retry, ["lease", "only", "delay", "reason"]) {
            SettleRoutes(loop: $0).retry
        },
        Route("POST", .dead, ["lease", "only", "reason"]) { SettleRoutes(loop: $0).dead },
        Route("POST", .extend, ["lease", "for"]) { SettleRoutes(loop: $0).extend },
        Route("POST", .seek, ["since"]) { GroupRoutes(loop: $0).seek },
        Route("POST", .revive, ["id"]) { GroupRoutes(loop: $0).revive },
        Route("GET", .health, []) { ServiceRoutes(loop: $0).health },
        Route("GET", .readiness, []) { ServiceRoutes(loop: $0).readiness },
        Route("GET", .version, []) { ServiceRoutes(loop: $0).version },
        Route("GET", .metrics, []) { ServiceRoutes(loop: $0).metrics },
        Route("GET", .description, []) { ServiceRoutes(loop: $0).description },
        Route("GET", .start, []) { PageRoutes(loop: $0).start },
        Route("GET", .pagePart, []) { PageRoutes(loop: $0).pagePart },
        Route("GET", .documents, []) { PageRoutes(loop: $0).document },
        Route("GET", .document, []) { PageRoutes(loop: $0).document },
    ]

    private init(
        _ method: String, _ resource: Resource.Kind, _ parameters: [String],
        _ serve: @escaping Service
    ) {
        self.method = method
        self.resource = resource
        self.parameters = parameters
        takesConditions =
            method == "GET" || method == "HEAD" || method == "POST" && resource == .topic
        self.serve = serve
    }

    /// The route of a request; HEAD is GET where it has no route of its own.
    static func find(_ method: String, _ resource: Resource.Kind) -> Route? {
        all.first { $0.resource == resource && $0.method == method }
            ?? (method == "HEAD" ? find("GET", resource) : nil)
    }

    /// The methods that some resource takes, as the answer to `OPTIONS *` lists them.
    static let allowAnywhere = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

    /// The methods that a resource takes, as the `Allow` header lists them.
    static func allow(_ resource: Resource.Kind) -> String {
        var methods = all.filter { $0.resource == resource }.map(\.method)
        if methods.contains("GET"), !methods.contains("HEAD") { methods.append("HEAD") }
        return (methods + ["OPTIONS"]).joined(separator: ", ")
    }

    /// The refusal of a method that a resource does not take.
    static func notAllowed(_ head: RequestHead, on resource: Resource.Kind) -> Refusal {
        let allow = allow(resource)
        let prefix = head.target.prefix.text
        let hint = resource == .start ? " Topics are at \(prefix)/topics/{name}." : ""
        return Refusal(
            .methodNotAllowed,
            "\(head.method) does not work on this path; it takes \(allow).\(hint)",
            headers: [("Allow", allow)])
    }

    /// The refusal of a path that leads nowhere.
    static func nothing(at target: RequestTarget) -> Refusal {
        guard !target.isOutsidePrefix else { return outside(target) }
        let prefix = target.prefix.text
        let topics = "/topics/"
        let isBelowTopics = target.rawPath.hasPrefix(topics) && target.rawPath != topics
        let hint = " A topic's name has no slash, not at its end either: its parts have dots."
        let meant =
            Resource.path(near: target.path).map { "did you mean \(prefix)\($0)? Topics" }
            ?? "topics"
        return Refusal(
            .pathUnknown,
            "There is nothing at '\(prefix)\(target.rawPath)'; \(meant) are at "
                + "\(prefix)/topics/{name}, groups at \(prefix)/groups/{name}, and "
                + "\(prefix)/openapi.yaml has every path.\(isBelowTopics ? hint : "")"
        )
    }

    /// The refusal of a path that is not below the prefix.
    private static func outside(_ target: RequestTarget) -> Refusal {
        let (prefix, path) = (target.prefix.text, target.rawPath)
        let isPlace = path != prefix && Resource(path: target.path) != nil
        let meant = isPlace ? String(path) : Resource.path(near: target.path) ?? "/"
        return Refusal(
            .pathUnknown,
            "There is nothing at '\(path)', because 'prefix = \(prefix)' is set in section [http] of "
                + "belfryd.conf: did you mean \(prefix)\(path == prefix ? "/" : meant)?")
    }
}

/// The resource that a path names.
struct Resource {
    enum Kind {
        case topics, topic, event, laterList, later, subscribers
        case groups, group, jobs, next, done, retry, dead, extend, seek, revive
        case health, readiness, version, metrics, description, start, pagePart, documents, document
    }

    let kind: Kind
    /// The name of the topic, group or file, or the selector, as it was written; empty where the path
    /// has none.
    var name = ""
    /// The id of the event, or the ticket, as it was written; empty where the path has none.
    var id = ""

    /// Whether it matters which caller asks.
    var isAboutTopics: Bool {
        switch kind {
        case .health, .readiness, .version, .metrics, .description: false
        case .start, .pagePart, .documents, .document: false
        default: true
        }
    }

    /// Whether it only tells that the bus is well. Programs that check it may add a query of their
    /// own.
    var isCheck: Bool { kind == .health || kind == .readiness }

    /// Whether people come to it by links, from any page.
    var isForPeople: Bool {
        switch kind {
        case .start, .documents, .document: true
        default: false
        }
    }

    /// The kinds of the segments behind a group's name.
    private static let partsOfGroups: [String: Kind] = [
        "jobs": .jobs, "next": .next, "done": .done, "retry": .retry, "dead": .dead,
        "extend": .extend, "seek": .seek, "revive": .revive,
    ]

    /// The resource of a target; `nil` if there is none.
    init?(_ target: RequestTarget) {
        guard !target.isOutsidePrefix else { return nil }
        self.init(path: target.path)
    }

    /// The resource of a decoded path; `nil` if there is none.
    init?(path: [String]) {
        switch (path.count, path.first) {
        case (0, _): kind = .start
        case (1, "topics"): kind = .topics
        case (1, "subscribers"): kind = .subscribers
        case (1, "groups"): kind = .groups
        case (1, "healthz"): kind = .health
        case (1, "readyz"): kind = .readiness
        case (1, "version"): kind = .version
        case (1, "metrics"): kind = .metrics
        case (1, "openapi.yaml"): kind = .description
        case (1, "docs"):
            kind = .documents
            name = "http-api"
        case (2, "docs"):
            kind = .document
            name = path[1]
        case (2, "page"):
            kind = .pagePart
            name = path[1]
        case (2, "topics") where !path[1].isEmpty:
            kind = .topic
            name = path[1]
        case (4, "topics") where path[2] == "events":
            kind = .event
            name = path[1]
            id = path[3]
        case (3, "topics") where path[2] == "later":
            kind = .laterList
            name = path[1]
        case (4, "topics") where path[2] == "later":
            kind = .later
            name = path[1]
            id = path[3]
        case (2, "groups") where !path[1].isEmpty:
            kind = .group
            name = path[1]
        case (3, "groups"):
            guard !path[1].isEmpty, let part = Self.partsOfGroups[path[2]] else { return nil }
            kind = part
            name = path[1]
        default: return nil
        }
    }

    /// The first segments of paths that may have a single segment.
    private static let firstSegments = [
        "topics", "subscribers", "groups", "healthz", "readyz", "version", "metrics", "docs",
    ]

    /// A path that leads somewhere, and was probably meant by one that does not; nil if there is
    /// none.
    static func path(near path: [String]) -> String? {
        // An empty last segment is a slash at the end.
        let segments = path.last == "" ? path.dropLast() : path[...]
        guard let first = segments.first, segments.count <= Limits.guessedSegmentsMax else {
            return nil
        }
        if segments.count < path.count, Resource(path: Array(segments)) != nil {
            return "/" + segments.joined(separator: "/")
        }
        let rest = segments.dropFirst()
        if first == "help" || first == "doc", rest.isEmpty { return "/docs" }
        if let known = firstSegments.first(where: {
            $0 != first && first.count >= 4 && $0.hasPrefix(first)
        }) {
            let whole = [known] + rest
            return Resource(path: whole) == nil ? nil : "/" + whole.joined(separator: "/")
        }
        // A client may have left out the first segment, or written slashes instead of a name's
        // dots.
        let named = first == "topics" ? rest : segments
        guard first == "topics" || !firstSegments.contains(first),
            !named.dropFirst().contains("events"), !named.dropFirst().contains("later"),
            let name = try? TopicName(named.joined(separator: "."))
        else { return nil }
        return "/topics/\(name)"
    }
}

/// The route and the parameters of a request, which follow from its line alone. They are found once for all requests whose
/// line the loop remembers.
///
/// Confined to its loop's thread.
final class KnownRoute {
    let resource: Resource
    let route: Route
    let parameters: Parameters
    /// Whether its path names one topic: the names in it take no steps of their own then.
    let isOfOneTopic: Bool

    /// That of a request, as it was found for an earlier one.
    static func of(_ head: RequestHead) -> KnownRoute? {
        // Nobody else writes notes.
        head.note.map { unsafeDowncast($0, to: KnownRoute.self) }
    }

    init(_ resource: Resource, _ route: Route, _ parameters: Parameters) {
        self.resource = resource
        self.route = route
        self.parameters = parameters
        isOfOneTopic = resource.kind == .topic && !resource.name.utf8.contains(UInt8(ascii: ","))
    }
}
