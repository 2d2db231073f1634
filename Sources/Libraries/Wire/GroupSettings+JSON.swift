public import JSON
public import Topics

extension GroupSetting {
    /// The parameter that says it; of attributes one that stands for each of them.
    public var parameter: String {
        if case .attributes = form { WireAttribute.parameter } else { name }
    }

    /// Its value in these settings, as a text for people, and of a parameter that has its name; nil where they do not name it.
    public func text(of settings: GroupSettings) -> String? {
        guard let value = value(in: settings) else { return nil }
        switch (value, form) {
        case (.selector(let selector), _): return selector.description
        case (.type(let type), _): return type
        case (.attributes(let attributes), _):
            return attributes.all.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
        case (.start(let start), _): return Since.text(start)
        case (.dead(.nowhere), _): return "none"
        case (.dead(.topic(let topic)), _): return topic.text
        case (.number(let number), .duration): return Quantity.text(microseconds: number)
        case (.number(let number), _): return "\(number)"
        case (.flag(let flag), .word(_, let no, let yes)): return flag ? yes : no
        case (.flag(let flag), _): return flag ? "yes" : "no"
        }
    }
}

/// The settings of a group as the lists of groups show them.
extension GroupSettings {
    /// Those that are named, as parameters of a request.
    public var parameters: [(name: String, text: String)] {
        GroupSetting.all.flatMap { setting -> [(name: String, text: String)] in
            if case .attributes = setting.form { return (attributes ?? .none).parameters }
            return setting.text(of: self).map { [(setting.name, $0)] } ?? []
        }
    }

    /// Writes a member for each that a group has.
    public func writeMembers(to json: inout JSONWriter) {
        for setting in GroupSetting.all {
            if case .start = setting.form { continue }
            json.name(setting.name)
            switch (setting.value(in: self), setting.form) {
            case (nil, _), (.dead(.nowhere)?, _): json.null()
            case (.attributes(let attributes)?, _): json.attributes(attributes)
            case (.number(let number)?, .count): json.integer(Int(number))
            case (.flag(let flag)?, .truth): json.boolean(flag)
            default: json.optional(setting.text(of: self)) { $0.string($1) }
            }
        }
    }

    /// Reads the members that a group has.
    public init(_ members: JSONMembers) {
        self.init()
        for setting in GroupSetting.all {
            let (text, number) = (members.texts[setting.name], members.numbers[setting.name])
            let value: GroupSetting.Value? =
                switch setting.form {
                case .selector: text.flatMap { try? Selector($0) }.map { .selector($0) }
                case .type: text.map { .type($0) }
                case .attributes:
                    members.objects[setting.name]
                        .flatMap { try? EventAttributes(ofBus: $0.texts) }.map { .attributes($0) }
                case .start: nil
                case .deadLetters:
                    text.flatMap { try? TopicName($0) }.map { .dead(.topic($0)) } ?? .dead(.nowhere)
                case .duration: text.flatMap { Quantity.microseconds($0) }.map { .number($0) }
                case .count: number.map { .number(Int64($0)) }
                case .truth: members.truths[setting.name].map { .flag($0) }
                case .word(_, _, let yes): text.map { .flag($0 == yes) }
                }
            setting.set(value, in: &self)
        }
    }
}
