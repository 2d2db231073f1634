internal import HTTPFront
internal import JSON
internal import Topics

/// A line of the access log: one JSON object, whose members are left out where there is nothing to
/// say.
enum AccessLine {
    static func text(of record: AccessRecord, at time: Timestamp) -> String {
        var line = Array("{\"time\":\"\(time)\",\"method\":".utf8)
        func add(_ name: String, _ number: Int?) {
            if let number { line += Array(",\"\(name)\":\(number)".utf8) }
        }
        func add(_ name: String, _ text: String?) {
            guard let text else { return }
            line += Array(",\"\(name)\":".utf8)
            JSONText.append(text, to: &line)
        }
        JSONText.append(record.method, to: &line)
        add("path", record.path)
        add("status", record.status)
        add("code", record.problemCode)
        add("form", record.form)
        add("bytes_in", record.bytesIn)
        add("bytes_out", record.bytesOut)
        add("uid", record.peer.uid.map { Int($0) })
        add("pid", record.peer.pid.map { Int($0) })
        add("us", record.microseconds)
        line.append(UInt8(ascii: "}"))
        return String(decoding: line, as: UTF8.self)
    }

    /// The line for requests that have no line of their own.
    static func text(ofDropped count: Int, at time: Timestamp) -> String {
        "{\"time\":\"\(time)\",\"dropped\":\(count)}"
    }
}
