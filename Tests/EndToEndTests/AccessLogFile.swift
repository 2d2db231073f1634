import TestSupport

/// The access log that a daemon writes for a test.
struct AccessLogFile {
    let folder = TemporaryFolder()
    var path: String { "\(folder.path)/access.log" }

    /// The section of the configuration that has a daemon write it.
    var configuration: String { "[daemon]\naccess_log = \(path)\n" }

    /// The lines that hold `words`, once there are so many, without the moment and how long it took.
    func lines(_ count: Int, with words: String) throws -> [String] {
        var lines: [Substring] = []
        try eventually("\(count) lines with \(words)") {
            lines = folder.text(of: path).split(separator: "\n").filter { $0.contains(words) }
            return lines.count == count
        }
        return lines.map { line in
            line.split(separator: ",").filter {
                !$0.contains("\"time\"") && !$0.contains("\"us\"")
            }.joined(separator: ",")
        }
    }
}
