internal import CInih

/// The settings of an INI file, as libinih finds them, with the lines they stand on.
///
/// libinih alone gives no line numbers, splits long lines in silence, takes an indented line for
/// more of the previous value and ignores all text behind a section's bracket. So it reads through
/// `INILines`, which counts, refuses and straightens the lines before libinih sees them. These
/// rules of libinih stay: `;` and `#` begin a comment at the start of a line, ` ;` ends a value,
/// `:` may stand for `=`.
struct INIFile {
    /// One `key = value`, in its section.
    struct Setting: Equatable {
        let section: String
        let key: String
        let value: String
        let line: Int
    }

    /// A line that is no setting, section or comment.
    struct Fault: Equatable {
        let line: Int
        let detail: String
    }

    /// The settings in the order of the file, repeated ones included.
    let settings: [Setting]
    /// The first line that cannot be read; nil if all can. Settings behind it may be missing.
    let fault: Fault?

    /// Reads the text of a file.
    ///
    /// - Complexity: O(bytes).
    init(_ text: [UInt8]) {
        let reading = INIReading(INILines(text))
        let status = withExtendedLifetime(reading) {
            // Unmanaged: libinih borrows the reading for the call, around which it is kept alive.
            let context = Unmanaged.passUnretained(reading).toOpaque()
            return ini_parse_stream(iniReadLine, context, iniHandleSetting, context)
        }
        settings = reading.settings
        if status != 0 {
            fault = Fault(
                line: Int(status), detail: "this is no `[section]`, no `key = value` and no comment"
            )
        } else {
            fault = reading.lines.fault
        }
    }
}

/// One run of libinih: the lines it asks for and the settings it finds.
final class INIReading {
    fileprivate(set) var lines: INILines
    fileprivate(set) var settings: [INIFile.Setting] = []

    init(_ lines: INILines) {
        self.lines = lines
    }

    fileprivate func readLine(into buffer: UnsafeMutableBufferPointer<CChar>) -> Bool {
        guard let line = lines.next() else { return false }
        for (index, byte) in line.enumerated() { buffer[index] = CChar(bitPattern: byte) }
        buffer[line.count] = 0
        return true
    }

    fileprivate func found(section: String, key: String, value: String) {
        settings.append(
            INIFile.Setting(section: section, key: key, value: value, line: lines.number))
    }
}

// Both thunks are called by `ini_parse_stream` on its caller's thread, and never after it has
// returned; the reading is retained by the caller of `ini_parse_stream` for as long.

private func iniReadLine(
    _ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32, _ context: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CChar>? {
    // Unmanaged: borrowed from `INIFile.init`, which keeps the reading alive around the call.
    let reading = Unmanaged<INIReading>.fromOpaque(context!).takeUnretainedValue()
    let target = UnsafeMutableBufferPointer(start: buffer, count: Int(count))
    return reading.readLine(into: target) ? buffer : nil
}

private func iniHandleSetting(
    _ context: UnsafeMutableRawPointer?, _ section: UnsafePointer<CChar>?,
    _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> Int32 {
    // Unmanaged: borrowed from `INIFile.init`, which keeps the reading alive around the call.
    let reading = Unmanaged<INIReading>.fromOpaque(context!).takeUnretainedValue()
    reading.found(
        section: String(cString: section!), key: String(cString: key!),
        value: String(cString: value!))
    return 1
}
