/// Makes an ``AnswerHead`` of the lines of one, as libcurl hands them on.
struct HeadCollector {
    private var status = 0
    private var fields: [String: String] = [:]

    /// Takes a line with its end; the head, if that was its last one. Interim answers are none.
    mutating func take(_ line: UnsafeRawBufferPointer) -> AnswerHead? {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            status = words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0
            fields = [:]
            return nil
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return text == "\r\n" && status >= 200
                ? AnswerHead(status: status, fields: fields) : nil
        }
        let isSpace = { (byte: UInt8) in
            byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
        }
        let value = text[text.index(after: colon)...].utf8.drop(while: isSpace)
        let end = value.lastIndex { !isSpace($0) }.map { value.index(after: $0) }
        fields[text[..<colon].lowercased()] = String(value[..<(end ?? value.startIndex)])
        return nil
    }
}
