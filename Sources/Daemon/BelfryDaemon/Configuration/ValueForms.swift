internal import Access
internal import HTTPFront
internal import SQLiteStore
internal import Telemetry
internal import Topics

extension ValueForm where Value == ListenAddress {
    /// `ADDRESS:PORT`.
    static var tcpAddress: ValueForm {
        ValueForm(
            name: "ADDRESS:PORT or [ADDRESS]:PORT",
            parse: { (text) throws(ValueError) in
                let address = try checked { () throws(ConfigurationError) in
                    try ListenAddress(text)
                }
                guard case .tcp = address else {
                    throw ValueError(detail: "`\(text)` is not ADDRESS:PORT")
                }
                return address
            },
            text: { [$0.description] })
    }
}

extension ValueForm where Value == String {
    /// An absolute path.
    static var path: ValueForm {
        ValueForm(
            name: "an absolute path",
            parse: { (text) throws(ValueError) in
                guard text.hasPrefix("/") else {
                    throw ValueError(detail: "`\(text)` is not an absolute path")
                }
                return text
            },
            text: { [$0] })
    }

    /// A host that the bus is called by.
    static var hostName: ValueForm {
        checkedText("NAME or NAME:PORT") { (text) throws(ConfigurationError) in
            _ = try HostPolicy(allowing: [text])
        }
    }

    /// The prefix of every path.
    static var pathPrefix: ValueForm {
        checkedText("a path without a slash at its end") { (text) throws(ConfigurationError) in
            _ = try PathPrefix(text)
        }
    }

    /// The origin of a web page.
    static var origin: ValueForm {
        checkedText("SCHEME://HOST") { (text) throws(ConfigurationError) in
            _ = try OriginPolicy(allowing: [text])
        }
    }

    /// A topic or pattern.
    static var topicSelector: ValueForm {
        ValueForm(
            name: "TOPIC or PATTERN",
            parse: { (text) throws(ValueError) in
                do throws(NameError) {
                    return try TopicPattern(text).text
                } catch {
                    throw ValueError(detail: error.detail)
                }
            },
            text: { [$0] })
    }

    private static func checkedText(
        _ name: String, _ check: @escaping @Sendable (String) throws(ConfigurationError) -> Void
    ) -> ValueForm {
        ValueForm(
            name: name,
            parse: { (text) throws(ValueError) in
                try checked { () throws(ConfigurationError) in try check(text) }
                return text
            },
            text: { [$0] })
    }
}

extension ValueForm where Value == UInt32 {
    /// Permission bits in octal.
    static var mode: ValueForm {
        ValueForm(
            name: "permission bits in octal",
            parse: { (text) throws(ValueError) in
                guard let mode = UInt32(text, radix: 8), mode <= 0o777, !text.hasPrefix("+") else {
                    throw ValueError(detail: "`\(text)` is no octal mode such as 0660")
                }
                return mode
            },
            text: {
                let digits = String($0, radix: 8)
                return [String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits]
            })
    }
}

extension ValueForm where Value == Configuration.UnixSocket {
    /// `auto`, `none`, or a path.
    static var unixSocket: ValueForm {
        ValueForm(
            name: "an absolute path, `auto` or `none`",
            parse: { (text) throws(ValueError) in
                switch text {
                case "auto": return .automatic
                case "none": return .none
                default:
                    let path = try ValueForm<String>.path.parse(text)
                    _ = try checked { () throws(ConfigurationError) in
                        try ListenAddress("unix:\(path)")
                    }
                    return .path(path)
                }
            },
            text: {
                switch $0 {
                case .automatic: ["auto"]
                case .none: ["none"]
                case .path(let path): [path]
                }
            })
    }
}

extension ValueForm where Value == Configuration.Store {
    /// `memory`, `sqlite` or `sqlite:PATH`.
    static var store: ValueForm {
        ValueForm(
            name: "memory, sqlite or sqlite:PATH",
            parse: { (text) throws(ValueError) in
                if text == "memory" { return .memory }
                if text == "sqlite" { return .sqlite(path: nil) }
                guard text.hasPrefix("sqlite:") else {
                    throw ValueError(
                        detail: "`\(text)` is no store: write memory, sqlite or sqlite:PATH")
                }
                return .sqlite(path: try ValueForm<String>.path.parse(String(text.dropFirst(7))))
            },
            text: { [$0.name] })
    }
}

extension ValueForm where Value == SQLiteStoreConfiguration.Sync {
    /// `normal` or `full`.
    static var sync: ValueForm {
        ValueForm(
            name: "normal or full",
            parse: { (text) throws(ValueError) in
                guard let sync = SQLiteStoreConfiguration.Sync(rawValue: text) else {
                    throw ValueError(detail: "`\(text)` is neither normal nor full")
                }
                return sync
            },
            text: { [$0.rawValue] })
    }
}

extension ValueForm where Value == AccessRule {
    /// `SELECTOR VERB SUBJECT…`; names of users and groups are looked up at once.
    static var accessRule: ValueForm {
        ValueForm(
            name: "SELECTOR VERB[,VERB] SUBJECT…",
            parse: { (text) throws(ValueError) in
                do throws(AccessError) {
                    return try AccessRule(text, users: SystemUsers())
                } catch {
                    throw ValueError(detail: error.detail)
                }
            },
            text: { [$0.description] })
    }
}

extension ValueForm where Value == TokensFile {
    /// The path of a tokens file, which is read when the configuration is whole.
    static var tokensFile: ValueForm {
        let form = ValueForm<String?>.automatic(.path)
        return ValueForm(
            name: form.name,
            parse: { (text) throws(ValueError) in TokensFile(path: try form.parse(text)) },
            text: { form.text($0.path) })
    }
}

extension ValueForm where Value == Configuration.AccessLogDestination {
    /// `none`, `log`, or a path.
    static var accessLog: ValueForm {
        ValueForm(
            name: "an absolute path, `log` or `none`",
            parse: { (text) throws(ValueError) in
                switch text {
                case "none": .none
                case "log": .log
                default: .file(try ValueForm<String>.path.parse(text))
                }
            },
            text: {
                switch $0 {
                case .none: ["none"]
                case .log: ["log"]
                case .file(let path): [path]
                }
            })
    }
}

extension ValueForm where Value == LogLevel {
    /// A level by its name.
    static var logLevel: ValueForm {
        let names = LogLevel.allCases.map(\.name).joined(separator: ", ")
        return ValueForm(
            name: "one of \(names)",
            parse: { (text) throws(ValueError) in
                guard let level = LogLevel(name: text) else {
                    throw ValueError(detail: "`\(text)` is no level: write one of \(names)")
                }
                return level
            },
            text: { [$0.name] })
    }
}

private func checked<Result>(
    _ body: () throws(ConfigurationError) -> Result
) throws(ValueError) -> Result {
    do {
        return try body()
    } catch {
        throw ValueError(detail: error.detail)
    }
}
