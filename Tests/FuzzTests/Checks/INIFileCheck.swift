@testable import BelfryDaemon

extension ParserCheck {
    /// A setting stands in the line that it is said to stand in, and is the same in a file that has
    /// nothing but the settings.
    static let iniFile = ParserCheck("ini", bytesMax: 600) { input in
        let text = Array(input)
        let file = INIFile(text)
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        try hold(file.fault.map { (1...lines.count).contains($0.line) } ?? true, "a fault nowhere")
        var before = 0
        for setting in file.settings {
            try hold(setting.line > before && setting.line <= lines.count, "a line out of order")
            before = setting.line
            let line = lines[setting.line - 1]
            let rest = behind(setting.key, in: line)
            try hold(rest.map { behind(setting.value, in: $0) != nil } ?? false, "not in its line")
        }
        let written = file.settings.map { "[\($0.section)]\n\($0.key)=\($0.value)\n" }.joined()
        let again = INIFile(Array(written.utf8))
        try agree(again.fault, nil, "fault of the settings alone")
        try agree(again.settings.map(\.section), file.settings.map(\.section), "sections")
        try agree(again.settings.map(\.key), file.settings.map(\.key), "keys")
        try agree(again.settings.map(\.value), file.settings.map(\.value), "values")
    }

    /// What follows the first place where the text stands; nil where it stands nowhere.
    private static func behind(_ text: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if text.isEmpty { return line }
        return line.firstRange(of: Array(text.utf8)).map { line[$0.upperBound...] }
    }
}
