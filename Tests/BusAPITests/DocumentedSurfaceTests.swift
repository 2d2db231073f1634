import TestSupport
import Testing
import Topics

@testable import BusAPI

@Suite struct DocumentedSurfaceTests {
    @Test("the page of the HTTP interface names every method, parameter, attribute and code")
    func nothingIsMissing() throws {
        let page = try PackageFiles.text("docs/http-api.md")
        for route in Route.all {
            #expect(page.contains("`\(route.method) \(Self.path(of: route.resource))"))
            for parameter in route.parameters {
                #expect(
                    page.contains("`\(parameter)`") || page.contains("`\(parameter)="),
                    "\(route.method) takes \(parameter)")
            }
        }
        for code in ProblemCode.allCases {
            #expect(page.contains("`\(code.rawValue)`"), "\(code.rawValue) is not explained")
        }
        for attribute in EventAttribute.allCases {
            let wire = WireAttribute.row(attribute)
            #expect(page.contains("`\(wire.header)`"), "\(wire.header) is not explained")
            #expect(page.contains("`\(wire.member)`"), "\(wire.member) is not explained")
        }
    }

    private static func path(of resource: Resource.Kind) -> String {
        switch resource {
        case .topics: "/topics`"
        case .topic: "/topics/{"
        case .event: "/topics/{topic}/events/{id}`"
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
