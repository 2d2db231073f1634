import Access
import Topics

/// Users and groups that a test makes up.
struct Users: UserDatabase {
    var users: [String: UInt32] = ["root": 0, "ci": 1001, "ann": 1000, "nobody": 65_534]
    var groups: [String: UInt32] = ["staff": 50, "video": 44]
    var members: [UInt32: [UInt32]] = [1000: [1000, 50], 1001: [1001]]

    func uid(ofUser name: String) -> UInt32? { users[name] }
    func gid(ofGroup name: String) -> UInt32? { groups[name] }
    func groups(of uid: UInt32) -> [UInt32] { members[uid] ?? [] }
}

extension AccessRules {
    /// The rules of these lines.
    init(_ lines: String...) throws {
        self.init(try lines.map { try AccessRule($0, users: Users()) })
    }

    func allows(_ verb: AccessVerb, _ topic: String, _ caller: Caller) throws -> Bool {
        decide(verb, try TopicName(topic), for: caller).isAllowed
    }
}

extension Caller {
    static func uid(_ uid: UInt32, _ groups: UInt32...) -> Caller {
        Caller(uid: uid, groups: groups)
    }
}
