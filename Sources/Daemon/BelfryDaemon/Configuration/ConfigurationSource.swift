/// Settings from one place: the file, the environment or the command line.
///
/// Sources are applied one over the other. A list in a later source replaces that of an earlier
/// one; within a source, a repeated key adds to the list.
struct ConfigurationSource {
    typealias Place = ConfigurationProblem.Place

    private var settings: [(key: ConfigurationKey, text: String, place: Place)] = []
    private(set) var problems: [ConfigurationProblem] = []

    init() {}

    /// The settings of a configuration file's text.
    init(file path: String, text: [UInt8]) {
        let contents = INIFile(text)
        for setting in contents.settings {
            let place = Place.file(path, line: setting.line)
            add(section: setting.section, name: setting.key, setting.value, at: place)
        }
        if let fault = contents.fault {
            problems.append(
                ConfigurationProblem(place: .file(path, line: fault.line), detail: fault.detail))
        }
    }

    /// The settings of an environment: its variables named `BELFRY_SECTION_KEY`. Others of ours
    /// that name no section are somebody else's, such as a client's.
    init(environment: [String: String]) {
        let keys = ConfigurationKey.all
        for key in keys {
            guard let text = environment[key.variable] else { continue }
            add(key, text, at: .environment(key.variable))
        }
        let known = Set(keys.map(\.variable))
        let sections = Set(
            keys.map { "\(ConfigurationKey.variablePrefix)\($0.section)_".uppercased() })
        for name in environment.keys.sorted() where !known.contains(name) {
            guard sections.contains(where: name.hasPrefix) else { continue }
            problems.append(
                ConfigurationProblem(
                    place: .environment(name),
                    detail: "this names a section of the configuration, but none of its keys"))
        }
    }

    /// Takes over one setting; a repeated one that is no list is a problem.
    mutating func add(_ key: ConfigurationKey, _ text: String, at place: Place) {
        if key.clear == nil, let first = settings.first(where: { $0.key.path == key.path }) {
            problems.append(
                ConfigurationProblem(
                    place: place, detail: "\(key.path) is repeated: it stands at \(first.place)"))
            return
        }
        settings.append((key, text, place))
    }

    /// Puts the settings over those of `configuration`, and adds a problem for each text that is no
    /// value. The problems of a file then stand in the order of its lines.
    mutating func apply(to configuration: inout Configuration) {
        var cleared: Set<String> = []
        for (key, text, place) in settings {
            if let clear = key.clear, cleared.insert(key.path).inserted { clear(&configuration) }
            do {
                try key.set(&configuration, text)
            } catch {
                let hint = text.contains(" #") ? " (a comment behind a value begins with ` ;`)" : ""
                problems.append(
                    ConfigurationProblem(
                        place: place, detail: "\(key.path): \(error.detail)\(hint)"))
            }
        }
        problems.sort { $0.place.line < $1.place.line }
    }

    private mutating func add(section: String, name: String, _ text: String, at place: Place) {
        let keys = ConfigurationKey.all
        if let key = keys.first(where: { $0.section == section && $0.name == name }) {
            return add(key, text, at: place)
        }
        let siblings = keys.filter { $0.section == section }.map(\.name)
        let detail =
            if section.isEmpty {
                "`\(name)` stands before the first [section]"
            } else if siblings.isEmpty {
                "[\(section)] is no section: there are "
                    + ConfigurationKey.sections.map { "[\($0)]" }.joined(separator: ", ")
            } else {
                "`\(name)` is no key of [\(section)]: it has \(siblings.joined(separator: ", "))"
            }
        problems.append(ConfigurationProblem(place: place, detail: detail))
    }
}
