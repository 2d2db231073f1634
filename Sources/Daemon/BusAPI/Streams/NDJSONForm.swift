internal import Topics

/// One JSON object a line; a sign of life is an empty line, which readers of NDJSON skip.
struct NDJSONForm: StreamForm {
    var encoding: EventEncoding { .line }

    var contentType: String? { "application/x-ndjson" }

    var eventsSayCursor: Bool { true }

    func cursor(_ cursor: EventID, to output: inout [UInt8]) {
        output += StreamControlMessage.cursor(cursor).finished()
    }

    func gap(_ gap: Gap, to output: inout [UInt8]) {
        output += StreamControlMessage.gap(gap).finished()
    }

    func heartbeat(to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\n"))
    }
}
