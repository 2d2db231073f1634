internal import JSON
public import Topics

extension BusClient {
    /// The version of the bus, and the time of its machine, to the second.
    ///
    /// - Parameter time: How long the answer may take; nil for a minute.
    /// - Throws: `ClientError`.
    public func version(
        within time: Duration? = nil
    ) async throws(ClientError) -> (number: String, time: Timestamp?) {
        let milliseconds = time.map { Int($0 / .milliseconds(1)) }
        let answer = try await answer(
            .get, TargetPath("version"), expecting: [200],
            within: milliseconds ?? Limits.requestMillisecondsMax)
        var number: String?
        try answer.members { name, reader in
            guard name.spells("version") else { return reader.value() != nil }
            number = reader.string()
            return number != nil
        }
        guard let number else { throw .malformedAnswer("a version without its number") }
        return (number, answer.head["date"].flatMap { Timestamp(httpDate: $0) })
    }

    /// Why the bus takes no events at this moment; nil where it does.
    ///
    /// - Throws: `ClientError`.
    public func readiness() async throws(ClientError) -> BusRefusal? {
        let answer = try await answer(.get, TargetPath("readyz"))
        return answer.head.status == 200 ? nil : answer.refusal
    }

    /// The figures of `/metrics`, by name and labels as they stand there.
    ///
    /// - Throws: `ClientError`.
    public func figures() async throws(ClientError) -> [String: Double] {
        let answer = try await answer(.get, TargetPath("metrics"), expecting: [200])
        var figures: [String: Double] = [:]
        for line in answer.body.split(separator: 0x0A) where line.first != UInt8(ascii: "#") {
            guard let space = line.lastIndex(of: 0x20) else { continue }
            let name = String(decoding: line[..<space], as: UTF8.self)
            figures[name] = Double(String(decoding: line[(space + 1)...], as: UTF8.self))
        }
        return figures
    }
}
