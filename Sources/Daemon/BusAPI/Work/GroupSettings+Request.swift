internal import Topics

extension GroupSettings {
    /// The settings that a request asks for.
    init(request parameters: Parameters) throws(Refusal) {
        self.init()
        for setting in GroupSetting.all {
            setting.set(try Self.value(setting, of: parameters), in: &self)
        }
    }

    private static func value(
        _ setting: GroupSetting, of parameters: Parameters
    ) throws(Refusal) -> GroupSetting.Value? {
        let name = setting.name
        if case .attributes = setting.form {
            let attributes = try parameters.filteredAttributes()
            return attributes.isEmpty ? nil : .attributes(attributes)
        }
        guard let text = parameters.text(name) else { return nil }
        switch setting.form {
        case .selector: return .selector(try Selector(request: text))
        case .type:
            var texts = MetadataTexts()
            texts[.type] = text
            return try EventMetadata(request: texts)[.type].map { .type($0) }
        case .attributes: return nil
        case .start: return .start(try ReceiveRequest.start(since: text))
        case .deadLetters:
            return .dead(text == "none" ? .nowhere : .topic(try TopicName(request: text)))
        case .duration(_, let range):
            return try parameters.duration(name, in: range).map { .number($0) }
        case .count(_, let range):
            return try parameters.count(name, in: range).map { .number($0) }
        case .truth:
            return try parameters.truth(name).map { .flag($0) }
        case .word(_, let no, let yes):
            return try parameters.choice(name, [no: false, yes: true]).map { .flag($0) }
        }
    }
}
