internal import Topics

/// Changes of settings.
extension GroupMachine {
    /// Changes settings. Those that never change have to be named as they are, or not at all.
    ///
    /// - Parameter caller: The caller that wishes it.
    mutating func set(_ wish: GroupSettings, by caller: StoredCaller) -> Result<Void, WorkError> {
        if let wanted = wish.selector, !wanted.hasTerms(of: selector) {
            return .failure(.groupDiffers(name, setting: "of"))
        }
        for setting in GroupSetting.stored where !setting.changes {
            guard let value = setting.value(in: wish) else { continue }
            guard value == setting.value(in: record.settings) else {
                return .failure(.groupDiffers(name, setting: setting.name))
            }
        }
        var changed = record
        if let error = changed.apply(wish, selector, by: caller) { return .failure(error) }
        set { $0 = changed }
        return .success(())
    }
}

extension GroupRecord {
    /// A new group by a wish that names its topics.
    static func make(
        _ name: GroupName, _ wish: GroupSettings, _ selector: Selector, at position: LogPosition,
        by maker: StoredCaller
    ) -> Result<GroupRecord, WorkError> {
        var settings = GroupSettings()
        for setting in GroupSetting.stored {
            let value = setting.changes ? nil : setting.value(in: wish)
            setting.set(value ?? setting.value(in: .standard), in: &settings)
        }
        var record = GroupRecord(
            name: name.text, terms: selector.terms.map(\.description), settings: settings,
            deadChooser: nil, owner: maker.uid, epoch: 1, reach: position.after,
            reportedThrough: position.reportedThrough, gap: nil, tally: JobTally())
        if let error = record.apply(wish, selector, by: maker) { return .failure(error) }
        return .success(record)
    }

    /// Takes over the settings that can change. Returns an error if one of them may not be so.
    fileprivate mutating func apply(
        _ wish: GroupSettings, _ selector: Selector, by caller: StoredCaller
    ) -> WorkError? {
        for setting in GroupSetting.stored where setting.changes {
            guard let value = setting.value(in: wish) else { continue }
            if let fault = setting.fault(in: wish) { return .valueInvalid(fault) }
            setting.set(value, in: &settings)
        }
        switch wish.dead {
        case .topic(let topic):
            guard !selector.matches(topic) else { return .deadInside(topic) }
            deadChooser = caller
        case .nowhere: deadChooser = nil
        case nil: break
        }
        return nil
    }
}

extension GroupSettings {
    /// Checks the event type, which no store would refuse.
    func check() throws(WorkError) {
        do throws(MetadataError) {
            _ = try EventMetadata(type: type)
        } catch {
            throw .valueInvalid(error.description)
        }
    }
}
