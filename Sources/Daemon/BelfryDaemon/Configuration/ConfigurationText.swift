internal import Wire

extension Configuration {
    /// The configuration in the form of its file, every key included; read back it is the same.
    public var text: String {
        Self.text(between: "") { key in
            key.values(self).map { "\(key.name) = \($0)".trimmingBlanks }
        }
    }

    /// How the file is written, for its head and its page of the manual.
    static let writing = """
        A ` ;` ends a value. Durations: 500ms 30s 10m 1h30m 7d, a bare number is seconds. Sizes: \
        4096 64K 1M 2G. A list key may be repeated. The variable BELFRY_SECTION_KEY of the \
        environment overrides this file, and the command line overrides both. `belfryd \
        --check-config` finds mistakes before they do harm.
        """

    /// The file that the daemon is shipped with: every key with its explanation, its default
    /// written as a comment.
    public static var template: String {
        let head = [
            "Belfry's configuration. Every key is here, with its default behind a `;`.", "",
            writing,
            "`systemctl reload belfryd` applies the keys marked [live], a restart the others.",
        ]
        let defaults = Configuration()
        return head.flatMap { $0.wrapped(to: 94) }.map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined()
            + "\n"
            + text(between: "\n") { key in
                let about = [
                    key.purpose, "Why change it: \(key.reason)",
                    "Takes \(key.form).\(key.isLive ? " [live]" : "")",
                ]
                return about.flatMap { $0.wrapped(to: 94) }.map { "# \($0)" }
                    + key.values(defaults).map { ";\(key.name) = \($0)".trimmingBlanks }
            }
    }

    private static func text(
        between separator: String, _ lines: (ConfigurationKey) -> [String]
    ) -> String {
        ConfigurationKey.sections.map { section in
            let keys = ConfigurationKey.all.filter { $0.section == section }
            let blocks = keys.map { lines($0).map { "\($0)\n" }.joined() }
            return "[\(section)]\n" + blocks.joined(separator: separator)
        }.joined(separator: "\n")
    }
}

extension ConfigurationKey {
    /// The sections, in the order of the file.
    static let sections = all.reduce(into: [String]()) { sections, key in
        if sections.last != key.section { sections.append(key.section) }
    }

    /// The key of a path such as `poll.wait_max`, which has to be in the table.
    static func named(_ path: String) -> ConfigurationKey {
        guard let key = all.first(where: { $0.path == path }) else {
            fatalError("there is no configuration key \(path)")
        }
        return key
    }
}

extension String {
    /// The text in lines of at most so many characters, broken at blanks.
    func wrapped(to width: Int) -> [String] {
        var lines = [""]
        for word in split(separator: " ") {
            if !lines.last!.isEmpty, lines.last!.count + 1 + word.count > width { lines.append("") }
            lines[lines.count - 1] += (lines.last!.isEmpty ? "" : " ") + word
        }
        return lines
    }

    fileprivate var trimmingBlanks: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
