/// A page of the manual, in the macros of `man(7)`: the rows of a program's tables become roff.
///
/// Each text appears as it is given: nothing in it is a macro or an escape. Texts are UTF-8.
package struct ManualPage: Sendable {
    /// The name that it is found by, as `belfry-pub`.
    package let name: String
    /// The section of the manual: 1 commands, 5 files, 7 pages that belong to none, 8 services.
    package let section: Int
    private var body: String

    /// A page with its head, and the section that names it.
    ///
    /// - Parameters:
    ///   - also: Further names by which `man` and `apropos` find it, once they know the page.
    ///   - summary: A line about its subject.
    package init(_ name: String, section: Int, also: [String] = [], summary: String) {
        self.name = name
        self.section = section
        let title = Self.quoted(name.uppercased())
        let names = ([name] + also).map(Self.escaped).joined(separator: ", ")
        body = """
            .TH \(title) \(section) \(Version.date) "Belfry \(Version.number)" "Belfry"
            .SH NAME
            \(names) \\- \(Self.escaped(summary))

            """
    }

    /// The name of its file.
    package var file: String { "\(name).\(section)" }

    /// The whole page.
    package var text: String { body }

    /// Begins a section.
    package mutating func heading(_ text: String) {
        body += ".SH \(Self.quoted(text.uppercased()))\n"
    }

    /// Begins a part of a section.
    package mutating func subheading(_ text: String) {
        body += ".SS \(Self.quoted(text))\n"
    }

    /// A paragraph.
    package mutating func paragraph(_ text: String) {
        body += begin + Self.line(text)
    }

    /// A line of a command: its first words in bold, and its operands and options.
    package mutating func synopsis(_ command: String, _ rest: String) {
        body += "\\fB\(Self.escaped(command))\\fR \(Self.escaped(rest))\n"
    }

    /// A term and its meaning.
    ///
    /// - Parameter value: The name of a value behind the term, or nothing.
    package mutating func item(_ term: String, value: String? = nil, _ text: String...) {
        body += ".TP\n\\fB\(Self.escaped(term))\\fR"
        body += value.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
        body += "\n" + text.map(Self.line).joined(separator: ".sp\n")
    }

    /// Lines as they are, such as commands to type.
    package mutating func example(_ lines: String) {
        body += begin + ".EX\n"
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            body += Self.line("    \(line)")
        }
        body += ".EE\n"
    }

    /// The section that names related pages and documents.
    ///
    /// - Parameter pages: Names with their section, as `belfry(1)`.
    package mutating func seeAlso(_ pages: [String], documents: [String]) {
        heading("See also")
        let links = pages.map { page in
            let parts = page.split(separator: "(")
            return "\\fB\(Self.escaped(String(parts[0])))\\fR(\(parts[1])"
        }
        body += links.joined(separator: ",\n") + "\n"
        for document in documents {
            body += ".PP\n\(Self.escaped("file:///usr/share/doc/belfry/\(document)"))\n"
        }
    }

    /// The macro that begins a paragraph; behind a heading there is one already.
    private var begin: String {
        body.split(separator: "\n").last?.hasPrefix(".S") == true ? "" : ".PP\n"
    }

    private static func line(_ text: String) -> String {
        // A line that begins with one of these would be a macro.
        let guarded = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        return guarded + escaped(text) + "\n"
    }

    /// An argument of a macro.
    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            // Left alone they would be printed as typographic ones, which no shell takes.
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "\"": escaped += "\\(dq"
            case "…": escaped += "..."
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            default: escaped += "\\[u\(hexadecimal(scalar.value))]"
            }
        }
        return escaped
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
