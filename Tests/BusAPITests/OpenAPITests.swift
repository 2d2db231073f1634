import TestSupport
import Testing
import Topics
import Wire

@testable import BusAPI

/// The description for programs says what the table of routes does. What the answers look like,
/// `make openapi-test` asks the daemon itself.
@Suite struct OpenAPITests {
    private let page: OpenAPIPage

    init() throws { page = OpenAPIPage(try PackageFiles.text("docs/openapi.yaml")) }

    @Test func everyPathHasTheMethodsOfItsRoutes() {
        var methods: [String: Set<String>] = [:]
        for resource in Set(Route.all.map(\.resource)) {
            methods[Self.path(of: resource)] = Set(
                Route.allow(resource).lowercased().split(separator: ", ").map(String.init))
        }
        #expect(page.operations.mapValues { Set($0.keys) } == methods)
    }

    @Test func everyOperationHasTheParametersOfItsRoute() throws {
        for route in Route.all {
            let operation = try #require(
                page.operations[Self.path(of: route.resource)]?[route.method.lowercased()])
            #expect(
                Set(operation.parameters(in: "query")) == Set(route.parameters),
                "\(route.method) \(route.resource)")
        }
    }

    @Test func everyAttributeIsAHeaderOfAPublishAndOfARawEventAndAMemberOfAnEnvelope() throws {
        let publish = try #require(page.operations["/topics/{name}"]?["post"])
        for field in MetadataField.allCases {
            #expect(page.envelopeMembers.contains("\(WireField.row(field).member)"))
        }
        for header in WireField.ownHeaders {
            #expect(publish.parameters(in: "header").contains(header))
            for path in ["/topics/{name}", "/topics/{name}/events/{id}"] {
                #expect(page.operations[path]?["get"]?.answerHeaders.contains(header) == true)
            }
        }
    }

    @Test func everyCodeStandsUnderItsStatusAndIsExplained() throws {
        for code in ProblemCode.allCases {
            #expect(page.codes[code.status]?.contains(code.rawValue) == true, "\(code.rawValue)")
        }
        let prose = try PackageFiles.text("docs/http-errors.md")
        for code in page.codes.values.joined() {
            #expect(prose.contains("`\(code)`"), "\(code)")
        }
    }

    @Test func everyObjectOfAnAnswerHasATableWithAllItsMembers() throws {
        let tables = try ReferencePages().memberTables.map(\.names)
        #expect(page.objects.count > 20)
        for members in page.objects {
            #expect(tables.contains { members.isSubset(of: $0) }, "\(members.sorted())")
        }
    }

    @Test func everyMemberOfATableIsOneOfAnObject() throws {
        let members = Set(page.objects.joined())
        for table in try ReferencePages().memberTables {
            #expect(table.names.subtracting(members) == [], "\(table.head)")
        }
    }

    @Test func everyDocumentForPeopleIsNamed() throws {
        let pages = PackageFiles.httpPages.map {
            String($0.dropFirst("docs/".count).dropLast(".md".count))
        }
        let names = (pages + ["recipes", "command"]).joined(separator: ", ")
        let description = try PackageFiles.text("docs/openapi.yaml")
        #expect(description.ranges(of: "enum: [\(names)]").count == 2, "of GET and of HEAD")
    }

    @Test func everyStatusOfAProblemIsAnAnswerOfSomeOperation() {
        let answers = Set(page.operations.values.flatMap(\.values).flatMap(\.statuses))
        // What no declared operation can be answered.
        #expect(Set(page.codes.keys).subtracting(answers) == [405])
    }

    private static func path(of resource: Resource.Kind) -> String {
        switch resource {
        case .topics: "/topics"
        case .topic: "/topics/{name}"
        case .event: "/topics/{name}/events/{id}"
        case .laterList: "/topics/{name}/later"
        case .later: "/topics/{name}/later/{ticket}"
        case .subscribers: "/subscribers"
        case .groups: "/groups"
        case .group: "/groups/{group}"
        case .jobs, .next, .done, .retry, .dead, .extend, .seek, .revive:
            "/groups/{group}/\(resource)"
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .version: "/version"
        case .metrics: "/metrics"
        case .description: "/openapi.yaml"
        case .start: "/"
        case .documents: "/docs"
        case .document: "/docs/{name}"
        case .pagePart: "/page/{name}"
        }
    }
}

/// What the tests need of `openapi.yaml`, by its indentation.
private struct OpenAPIPage {
    struct Operation {
        let lines: [String]

        /// The names of the parameters in some place.
        func parameters(in place: String) -> [String] {
            lines.indices.compactMap { index in
                guard lines[index].hasPrefix("        - name: "),
                    lines[index + 1] == "          in: \(place)"
                else { return nil }
                return String(lines[index].dropFirst("        - name: ".count))
            }
        }

        /// The names of the headers that its answers have.
        var answerHeaders: [String] {
            lines.filter { $0.contains("{$ref: \"#/components/headers/") }.map(OpenAPIPage.name)
        }

        var statuses: [Int] {
            lines.compactMap { line in
                line.hasPrefix("        \"") ? Int(line.dropFirst(9).prefix(3)) : nil
            }
        }
    }

    /// By path and method.
    let operations: [String: [String: Operation]]
    /// The members of an event as JSON.
    let envelopeMembers: [String]
    /// The members of each object in an answer.
    let objects: [Set<String>]
    /// The codes of problems, by status.
    let codes: [Int: Set<String>]

    init(_ text: String) {
        let lines = text.split(separator: "\n").map(String.init)
        let paths = Self.blocks(of: Self.block("paths", of: lines, indent: 0), indent: 2)
        operations = paths.mapValues { lines in
            Self.blocks(of: lines, indent: 4).mapValues(Operation.init)
        }
        let components = Self.block("components", of: lines, indent: 0)
        let schemas = Self.blocks(
            of: Self.block("schemas", of: components, indent: 2), indent: 4)
        envelopeMembers = (schemas["Envelope"] ?? []).filter {
            Self.depth(of: $0) == 8
        }.map(Self.name)
        objects = schemas.values.flatMap(Self.objects)
        codes = schemas.values.reduce(into: [:]) { codes, lines in
            let list = lines.drop { !$0.hasSuffix("enum:") }.dropFirst()
                .prefix { !$0.hasSuffix("]") }.joined()
            guard let line = lines.first(where: { $0.contains("status: {type: integer, const: ") }),
                let status = Int(line.filter(\.isNumber))
            else { return }
            codes[status] = Set(
                list.split { !$0.isUppercase && $0 != "_" }.map(String.init))
        }
    }

    /// The names under each `properties`; an object of one member has it on the same line.
    private static func objects(of lines: [String]) -> [Set<String>] {
        lines.enumerated().compactMap { index, line in
            let depth = Self.depth(of: line)
            let text = line.dropFirst(depth)
            if text == "properties:" {
                return Set(
                    lines[(index + 1)...].prefix { Self.depth(of: $0) > depth }
                        .filter { Self.depth(of: $0) == depth + 2 }.map(name))
            }
            guard text.hasPrefix("properties: {") else { return nil }
            return [name(String(text.dropFirst("properties: {".count)))]
        }
    }

    private static func depth(of line: String) -> Int { line.prefix { $0 == " " }.count }

    /// What stands before the colon of a line.
    private static func name(_ line: String) -> String {
        String(line.drop { $0 == " " }.prefix { $0 != ":" })
    }

    private static func block(_ name: String, of lines: [String], indent: Int) -> [String] {
        blocks(of: lines, indent: indent)[name] ?? []
    }

    /// The lines under each key at this depth.
    private static func blocks(of lines: [String], indent: Int) -> [String: [String]] {
        var blocks: [String: [String]] = [:]
        var name: String?
        for line in lines {
            let depth = Self.depth(of: line)
            if depth == indent, let colon = line.lastIndex(of: ":") {
                name = String(line[..<colon].dropFirst(indent))
                blocks[name!] = []
            } else if depth > indent, let name {
                blocks[name]?.append(line)
            }
        }
        return blocks
    }
}
