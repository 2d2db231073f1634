import TestSupport
import Topics

/// A user that changes one setting of a topic again and again, and waits for each answer. Another user changes
/// another setting of it meanwhile.
struct SettingsUser {
    enum Setting: CaseIterable { case keep, expect }

    let setting: Setting
    /// The value that is asked for, and the life of the host that was asked.
    private var request: (value: Int64, host: String, lives: Int)?
    /// The last value that was taken.
    private var taken: Int64?
    /// Values whose requests got no answer: each may come to be at any time.
    private var doubtful: Set<Int64> = []

    init(_ setting: Setting) { self.setting = setting }

    /// Whether it waits for an answer that may come.
    mutating func waits(whileThere isThere: (_ host: String, _ lives: Int) -> Bool) -> Bool {
        guard let request else { return false }
        if isThere(request.host, request.lives) { return true }
        answered(nil)
        return false
    }

    mutating func asks(for value: Int64, of host: String, lives: Int) {
        request = (value, host, lives)
    }

    /// - Parameter isTaken: Nil where nobody knows.
    mutating func answered(_ isTaken: Bool?) {
        guard let value = request?.value else { return }
        request = nil
        switch isTaken {
        case true?: taken = value
        case false?: break
        case nil: doubtful.insert(value)
        }
    }

    /// Whether the topic may have this value once everything is applied.
    func allows(_ value: Int64?) -> Bool {
        value == taken || value == request?.value || value.map(doubtful.contains) == true
    }
}

/// The steps of users that share a topic, and change settings of it at once.
extension HostsSimulation {
    func changeSetting(on host: SimulatedHost, using random: inout SeededRandom) throws {
        let index = Int.random(in: settingsUsers.indices, using: &random)
        let value = Int64.random(in: 1...1_000_000, using: &random)
        let isWaiting = settingsUsers[index].waits { name, lives in
            hosts.contains { $0.name == name && $0.lives == lives && $0.life != nil }
        }
        guard let bus = host.life?.bus, !isWaiting else { return }
        let topic = try TopicName(SimulatedTopics.shared)
        let (setting, asked) = (settingsUsers[index].setting, host.lives)
        note("\(setting) of \(topic) is to be \(value) on \(host.name)")
        settingsUsers[index].asks(for: value, of: host.name, lives: asked)
        bus.register(
            topic, change(setting, to: value, on: bus, topic), by: Sender(uid: 1, pid: nil)
        ) { [self] outcome in
            guard asked == host.lives else { return }
            switch outcome {
            case .success: settingsUsers[index].answered(true)
            case .failure(.unanswered): settingsUsers[index].answered(nil)
            case .failure: settingsUsers[index].answered(false)
            }
        }
    }

    private func change(
        _ setting: SettingsUser.Setting, to value: Int64, on bus: EventBus, _ topic: TopicName
    ) -> SettingsChange {
        let found = shows(.decidesSettingsEarly, each: 1) ? bus.description(of: topic) : nil
        var settings = TopicSettings(
            retention: Retention(keep: nil, bytes: nil, age: nil), persists: true)
        if let found { (settings.retention, settings.expect) = (found.retention, found.expect) }
        switch setting {
        case .keep: settings.retention.keep = Int(value)
        // Nothing is silent as long as a run takes.
        case .expect: settings.expect = SimulatedTopics.longTime + value
        }
        guard found == nil else { return SettingsChange(settings) }
        return SettingsChange(
            settings, keeping: setting == .keep ? [.expect, .hold] : [.retention, .hold])
    }

    /// Each setting is what its user was told last.
    func checkSettings() throws {
        for host in hosts {
            let topic = try TopicName(SimulatedTopics.shared)
            let found = host.life?.bus.description(of: topic)
            for user in settingsUsers {
                let value =
                    switch user.setting {
                    case .keep: found?.retention.keep.map { Int64($0) }
                    case .expect: found?.expect.map { $0 - SimulatedTopics.longTime }
                    }
                guard !user.allows(value) else { continue }
                model.fail("\(user.setting) of \(topic) is \(value ?? -1) on \(host.name): \(user)")
            }
        }
    }
}
