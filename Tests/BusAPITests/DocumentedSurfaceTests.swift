import TestSupport
import Testing
import Topics
import Wire

@testable import BusAPI

@Suite struct DocumentedSurfaceTests {
    private let pages: ReferencePages

    init() throws { pages = try ReferencePages() }

    /// The names in the first column of the overview's table with this head.
    private func names(ofOverview head: String) -> Set<String> {
        (pages.tables[PackageFiles.httpPages[0]] ?? []).filter { $0.head == head }
            .reduce(into: []) { $0.formUnion($1.names) }
    }

    @Test func theOverviewHasEveryRequestAndEveryParameterAndAPageExplainsIt() {
        let (requests, parameters) = (names(ofOverview: "Request"), names(ofOverview: "Parameter"))
        for route in Route.all {
            let path = Self.path(of: route.resource)
            #expect(
                requests.contains { "\($0)`".hasPrefix("\(route.method) \(path)") },
                "\(route.method) \(path)")
            for parameter in route.parameters {
                #expect(parameters.contains(parameter), "\(route.method) takes \(parameter)")
                #expect(
                    pages.texts.values.contains {
                        $0.contains("`\(parameter)`") || $0.contains("`\(parameter)=")
                    }, "no page explains \(parameter)")
            }
        }
        #expect(parameters == Set(Route.all.flatMap(\.parameters)))
    }

    @Test func everyAttributeIsAHeaderInTheOverviewAndAMemberOfAnEnvelope() throws {
        let envelope = try #require(
            pages.memberTables.first { $0.head == "Member of an envelope" })
        for field in MetadataField.allCases {
            let wire = WireField.row(field)
            for head in ["Header of a request", "Header of an answer"] {
                #expect(names(ofOverview: head).contains("\(wire.header)"), "\(wire.header)")
            }
            #expect(envelope.names.contains("\(wire.member)"), "\(wire.member)")
        }
    }

    @Test func thePageHasAFieldForEverySetting() throws {
        let groups = try PackageFiles.text("Sources/Daemon/Page/Files/settings.js")
        for setting in GroupSetting.all {
            #expect(groups.contains("{ name: '\(setting.name)', "), "\(setting.name)")
        }
        let topics = try PackageFiles.text("Sources/Daemon/Page/Files/topicsettings.js")
        for setting in TopicSetting.all {
            #expect(topics.contains("{ name: '\(setting.name)', "), "\(setting.name)")
        }
    }

    @Test func everyHeaderThatPagesMayReadIsInTheOverview() {
        let named = names(ofOverview: "Header of an answer")
        for header in WireHeaders.exposedNames {
            #expect(named.contains(String(header)), "\(header)")
        }
    }

    @Test func aCodeStandsBesideItsStatusWhereverItDoes() throws {
        let problems = try #require(pages.tables["docs/http-errors.md"]).filter {
            $0.head == "Status"
        }
        let explained = problems.flatMap(\.rows).flatMap { ReferencePages.quoted(in: $0[1]) }
        for code in ProblemCode.allCases {
            #expect(explained.contains(code.rawValue), "\(code.rawValue) is not explained")
        }
        for (page, tables) in pages.tables {
            for row in tables.filter({ $0.head == "Status" }).flatMap(\.rows) {
                for name in ReferencePages.quoted(in: row[1]) {
                    guard let code = ProblemCode(rawValue: name) else { continue }
                    #expect(row[0].contains("\(code.status)"), "\(page): \(name)")
                }
            }
        }
    }

    private static func path(of resource: Resource.Kind) -> String {
        switch resource {
        case .topics: "/topics`"
        case .topic: "/topics/{"
        case .event: "/topics/{topic}/events/{id}`"
        case .laterList: "/topics/{topic}/later`"
        case .later: "/topics/{topic}/later/{ticket}`"
        case .subscribers: "/subscribers`"
        case .groups: "/groups`"
        case .group: "/groups/{group}`"
        case .jobs, .next, .done, .retry, .dead, .extend, .seek, .revive:
            "/groups/{group}/\(resource)`"
        case .health: "/healthz`"
        case .readiness: "/readyz`"
        case .version: "/version`"
        case .metrics: "/metrics`"
        case .description: "/openapi.yaml`"
        case .start: "/`"
        case .documents: "/docs`"
        case .document: "/docs/{name}`"
        case .pagePart: "/page/{name}`"
        }
    }
}
