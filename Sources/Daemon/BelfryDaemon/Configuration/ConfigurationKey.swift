/// One setting: its name, its purpose, and how it is read and written.
///
/// `all` is the one table that the file, the environment, `--print-config`, the shipped
/// `belfryd.conf` and the tests go by.
public struct ConfigurationKey: Sendable {
    /// The section it stands in.
    public let section: String
    /// Its name within the section.
    public let name: String
    /// The form of its value: kind, unit and range.
    public let form: String
    /// Its effect.
    public let purpose: String
    /// The reason to change it.
    public let reason: String
    /// Whether a reload changes it; else it takes a restart.
    public let isLive: Bool

    /// Empties a list before a source of settings adds to it; nil if the value is no list.
    let clear: (@Sendable (inout Configuration) -> Void)?
    /// Takes over one value; of a list, adds it.
    let set: @Sendable (inout Configuration, String) throws(ValueError) -> Void
    /// Takes over the value of another configuration.
    let copy: @Sendable (_ other: Configuration, inout Configuration) -> Void
    /// The values as the lines of a file would have them.
    let values: @Sendable (Configuration) -> [String]

    /// `section.name`, as problems and log lines say it.
    public var path: String { "\(section).\(name)" }

    /// The variable of the environment that sets it.
    public var variable: String { "\(Self.variablePrefix)\(section)_\(name)".uppercased() }

    /// The beginning of the name of every such variable.
    static let variablePrefix = "BELFRY_"

    init<Value>(
        _ section: String, _ name: String,
        _ path: any WritableKeyPath<Configuration, Value> & Sendable, _ form: ValueForm<Value>,
        isLive: Bool = false, purpose: String, reason: String
    ) {
        self.init(
            section: section, name: name, form: form.name, purpose: purpose, reason: reason,
            isLive: isLive, clear: nil,
            set: { (configuration, text) throws(ValueError) in
                configuration[keyPath: path] = try form.parse(text)
            },
            copy: { $1[keyPath: path] = $0[keyPath: path] },
            values: { form.text($0[keyPath: path]) })
    }

    init<Element>(
        _ section: String, _ name: String,
        list path: any WritableKeyPath<Configuration, [Element]> & Sendable,
        _ form: ValueForm<[Element]>,
        isLive: Bool = false, purpose: String, reason: String
    ) {
        self.init(
            section: section, name: name, form: form.name, purpose: purpose, reason: reason,
            isLive: isLive, clear: { $0[keyPath: path] = [] },
            set: { (configuration, text) throws(ValueError) in
                configuration[keyPath: path] += try form.parse(text)
            },
            copy: { $1[keyPath: path] = $0[keyPath: path] },
            values: { form.text($0[keyPath: path]) })
    }

    private init(
        section: String, name: String, form: String, purpose: String, reason: String, isLive: Bool,
        clear: (@Sendable (inout Configuration) -> Void)?,
        set: @escaping @Sendable (inout Configuration, String) throws(ValueError) -> Void,
        copy: @escaping @Sendable (Configuration, inout Configuration) -> Void,
        values: @escaping @Sendable (Configuration) -> [String]
    ) {
        self.section = section
        self.name = name
        self.form = form
        self.purpose = purpose
        self.reason = reason
        self.isLive = isLive
        self.clear = clear
        self.set = set
        self.copy = copy
        self.values = values
    }
}
