internal import BusAPI
internal import Wire

/// How a setting's value is written: read from text, written back as text, and described.
///
/// `parse` makes the same value again of the output of `text`, for every value that it can give.
struct ValueForm<Value: Sendable>: Sendable {
    /// The form in words, for the documentation: `a duration, 1s to 1h`.
    let name: String
    /// Reads one value; a list adds up those of repeated keys.
    let parse: @Sendable (String) throws(ValueError) -> Value
    /// Writes a value as the lines of a file would have it; one line unless it is a list.
    let text: @Sendable (Value) -> [String]
}

/// Why a text is no value of its key.
struct ValueError: Error, Equatable {
    let detail: String
}

extension ValueForm where Value == Int {
    /// A plain number.
    static func count(_ range: ClosedRange<Int>) -> ValueForm {
        ValueForm(
            name: "a number, \(range.lowerBound) to \(range.upperBound)",
            parse: { (text) throws(ValueError) in
                guard let count = Quantity.count(text) else {
                    throw ValueError(detail: "`\(text)` is not a number: write digits only")
                }
                return try Int(count).checked(range, text) { "\($0)" }
            },
            text: { ["\($0)"] })
    }

    /// A size in bytes.
    static func size(_ range: ClosedRange<Int>) -> ValueForm {
        let write: @Sendable (Int) -> String = { Quantity.text(bytes: Int64($0)) }
        return ValueForm(
            name: "a size, \(write(range.lowerBound)) to \(write(range.upperBound))",
            parse: { (text) throws(ValueError) in
                guard let bytes = Quantity.bytes(text) else {
                    throw ValueError(
                        detail: "`\(text)` is not a size: write one such as 4096, 64K, 1M or 2G")
                }
                return try Int(bytes).checked(range, text, write)
            },
            text: { [write($0)] })
    }
}

extension ValueForm where Value == Int64 {
    /// A duration, in microseconds.
    static func duration(_ range: ClosedRange<Int64>) -> ValueForm {
        let write: @Sendable (Int64) -> String = { Quantity.text(microseconds: $0) }
        return ValueForm(
            name: "a duration, \(write(range.lowerBound)) to \(write(range.upperBound))",
            parse: { (text) throws(ValueError) in
                guard let microseconds = Quantity.microseconds(text) else {
                    throw ValueError(
                        detail: "`\(text)` is not a duration: write one such as 500ms, 30s, 10m, "
                            + "24h or 7d; a bare number is seconds")
                }
                return try microseconds.checked(range, text, write)
            },
            text: { [write($0)] })
    }
}

extension ValueForm where Value == Int {
    /// A duration, in whole seconds.
    static func seconds(_ range: ClosedRange<Int>) -> ValueForm {
        let second: Int64 = 1_000_000
        let form = ValueForm<Int64>.duration(
            Int64(range.lowerBound) * second...Int64(range.upperBound) * second)
        return ValueForm(
            name: "\(form.name), in whole seconds",
            parse: { (text) throws(ValueError) in
                let microseconds = try form.parse(text)
                guard microseconds % second == 0 else {
                    throw ValueError(detail: "`\(text)` is not in whole seconds")
                }
                return Int(microseconds / second)
            },
            text: { form.text(Int64($0) * second) })
    }
}

extension ValueForm where Value == Bool {
    /// `yes` or `no`.
    static var yesOrNo: ValueForm {
        ValueForm(
            name: "yes or no",
            parse: { (text) throws(ValueError) in
                switch text {
                case "yes", "true", "on", "1": return true
                case "no", "false", "off", "0": return false
                default: throw ValueError(detail: "`\(text)` is neither yes nor no")
                }
            },
            text: { [$0 ? "yes" : "no"] })
    }
}

extension ValueForm {
    /// A value, or `none` for its absence.
    static func optional<Wrapped>(_ form: ValueForm<Wrapped>) -> ValueForm<Wrapped?> {
        named("none", form)
    }

    /// A value, or `auto` to leave the choice to the daemon.
    static func automatic<Wrapped>(_ form: ValueForm<Wrapped>) -> ValueForm<Wrapped?> {
        named("auto", form)
    }

    private static func named<Wrapped>(
        _ absence: String, _ form: ValueForm<Wrapped>
    ) -> ValueForm<Wrapped?> {
        ValueForm<Wrapped?>(
            name: "\(form.name), or `\(absence)`",
            parse: { (text) throws(ValueError) in text == absence ? nil : try form.parse(text) },
            text: { $0.map(form.text) ?? [absence] })
    }

    /// Values separated by commas or blanks; a repeated key adds to the list, an empty value is
    /// the empty list.
    static func list<Element: Sendable>(
        of form: ValueForm<Element>
    ) -> ValueForm<[Element]> {
        ValueForm<[Element]>(
            name: "a list of \(form.name), separated by commas; the key may be repeated",
            parse: { (text) throws(ValueError) in
                var elements: [Element] = []
                for word in text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                    elements.append(try form.parse(String(word)))
                }
                return elements
            },
            text: { $0.isEmpty ? [""] : $0.flatMap(form.text) })
    }
}

extension ValueForm {
    /// Values of several words, one a line of the file; in the environment separated by semicolons
    /// or line ends. An empty value is the empty list.
    static func lines<Element: Sendable>(
        of form: ValueForm<Element>
    ) -> ValueForm<[Element]> {
        ValueForm<[Element]>(
            name: "\(form.name); the key may be repeated",
            parse: { (text) throws(ValueError) in
                var elements: [Element] = []
                for line in text.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
                    let words = line.split { $0 == " " || $0 == "\t" }
                    guard !words.isEmpty else { continue }
                    elements.append(try form.parse(words.joined(separator: " ")))
                }
                return elements
            },
            text: { $0.isEmpty ? [""] : $0.flatMap(form.text) })
    }
}

extension Comparable {
    fileprivate func checked(
        _ range: ClosedRange<Self>, _ text: String, _ write: (Self) -> String
    ) throws(ValueError) -> Self {
        guard range.contains(self) else {
            throw ValueError(
                detail: "`\(text)` is out of range: write \(write(range.lowerBound)) to "
                    + write(range.upperBound))
        }
        return self
    }
}
