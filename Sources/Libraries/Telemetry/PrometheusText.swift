/// Figures as Prometheus reads them: its text exposition format, version 0.0.4.
///
/// A family is begun once and followed by its samples; they are not checked against earlier ones.
/// Names and labels are the caller's own: no name of a topic, user or client belongs into a label,
/// whose values a server keeps for ever.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
public struct PrometheusText {
    /// The type of a family of figures.
    public enum Kind: String, Sendable {
        /// A number that only rises; its name ends in `_total`.
        case counter
        /// A number that rises and falls.
        case gauge
        /// How a quantity is spread.
        case histogram
    }

    /// The media type of ``bytes``.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far.
    public private(set) var bytes: [UInt8] = []
    private var name = ""

    /// A page without figures.
    public init() {
        bytes.reserveCapacity(16 << 10)
    }

    /// Begins a family.
    ///
    /// - Parameters:
    ///   - name: `[a-zA-Z_:][a-zA-Z0-9_:]*`, its unit last.
    ///   - help: The meaning of its figures, in a sentence.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        assert(Self.isName(name), "\(name) is no name of a family")
        self.name = name
        add("# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// A sample of the family that was begun last, with labels or without.
    public mutating func sample(_ value: Int, _ labels: KeyValuePairs<String, String> = [:]) {
        add(name)
        add(labels)
        add(" \(value)\n")
    }

    /// A sample that is a time, given in microseconds and written in seconds.
    public mutating func sample(
        microseconds: Int, _ labels: KeyValuePairs<String, String> = [:]
    ) {
        add(name)
        add(labels)
        add(" \(Self.seconds(microseconds))\n")
    }

    /// A family of one counter.
    public mutating func counter(_ name: String, _ help: String, _ value: Int) {
        family(name, .counter, help)
        sample(value)
    }

    /// A family of one gauge.
    public mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        family(name, .gauge, help)
        sample(value)
    }

    /// A family of one histogram of times: the observations of several, in microseconds, taken
    /// together.
    ///
    /// Values above the last bound of a ``Histogram`` count in its last bucket, which is therefore
    /// the one without a bound here.
    public mutating func histogram(_ name: String, _ help: String, _ parts: [Histogram]) {
        family(name, .histogram, help)
        var counts = [Int](repeating: 0, count: Histogram.bucketCount)
        for part in parts {
            for (index, count) in part.counts.enumerated() { counts[index] += count }
        }
        var sum = 0
        for (index, count) in counts.enumerated() {
            sum += count
            let bound = index + 1 < counts.count ? Self.seconds(1 << index) : "+Inf"
            add("\(name)_bucket{le=\"\(bound)\"} \(sum)\n")
        }
        add("\(name)_sum \(Self.seconds(parts.reduce(0) { $0 + $1.sum }))\n")
        add("\(name)_count \(sum)\n")
    }

    /// A family of counters by name: the counts of several tables, taken together, with the name as
    /// the value of a label.
    public mutating func counters(
        _ name: String, _ help: String, by label: String, _ parts: [CounterTable]
    ) {
        family(name, .counter, help)
        var counts: [String: Int] = [:]
        for part in parts { counts.merge(part.counts, uniquingKeysWith: +) }
        for (value, count) in counts.sorted(by: { $0.key < $1.key }) {
            sample(count, [label: value])
        }
    }

    private mutating func add(_ labels: KeyValuePairs<String, String>) {
        guard !labels.isEmpty else { return }
        let pairs = labels.map { label, value in
            assert(Self.isName(label), "\(label) is no name of a label")
            return "\(label)=\"\(Self.escaped(value, quotes: true))\""
        }
        add("{\(pairs.joined(separator: ","))}")
    }

    private mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Line feeds and backslashes would end or change the line; within a label, quotes too.
    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\\": result += "\\\\"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Seconds in exact decimals, as binary fractions would not be.
    private static func seconds(_ microseconds: Int) -> String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest != 0 else { return "\(whole)" }
        let digits = String(abs(rest))
        let sign = microseconds < 0 && whole == 0 ? "-" : ""
        return "\(sign)\(whole)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func isName(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            byte == 0x5F || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    }
}

extension MemoryBudget {
    /// Writes the memory that is taken for each use, and its bound.
    public func write(to page: inout PrometheusText) {
        page.family(
            "belfry_memory_bytes", .gauge, "Memory that is counted against its bound, by use.")
        for use in Use.allCases { page.sample(used(use), ["use": "\(use)"]) }
        page.gauge(
            "belfry_memory_limit_bytes", "What all uses of memory may take together.", bytesMax)
    }
}
