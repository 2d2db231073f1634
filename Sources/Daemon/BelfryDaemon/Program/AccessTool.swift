internal import Access

/// The commands of the program about access rules and tokens, besides following them.
struct AccessTool {
    let access: Configuration.AccessControl
    let uid: UInt32

    /// The report on a configuration in which all is right: `OK`, the table of its rules, and
    /// warnings.
    var report: String {
        let table = AccessRules(access.rules).table
        var lines = ["OK"]
        if !table.isEmpty {
            lines.append(
                "Who may do what, by the first line that matches a topic (root and the bus's own user "
                    + "administer all):")
            lines += table.map { "  \($0)" }
        }
        lines += access.warnings.map { "Warning: \($0)" }
        return lines.map { "\($0)\n" }.joined()
    }

    init(_ access: Configuration.AccessControl, uid: UInt32) {
        self.access = access
        self.uid = uid
    }

    /// Whether the rules allow something, and why.
    func explain(_ question: String) throws(ConfigurationProblems) -> String {
        do throws(AccessError) {
            let question = try AccessQuestion(question, users: SystemUsers())
            return "\(question.answer(of: access.policy(administrator: uid)))\n"
        } catch {
            throw ConfigurationProblems(.option("--explain-access"), error.detail)
        }
    }

    /// A new token on one line, and on the next its line for the tokens file.
    static func makeToken(named name: String) throws(ConfigurationProblems) -> String {
        var random = SystemRandomNumberGenerator()
        do throws(AccessError) {
            let (secret, line) = try Token.make(named: name, using: &random)
            return "\(secret)\n\(line)\n"
        } catch {
            throw ConfigurationProblems(.option("--make-token"), error.detail)
        }
    }
}
