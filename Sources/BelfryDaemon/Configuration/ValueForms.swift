internal import HTTPFront
internal import Telemetry

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
        ValueForm(
            name: "NAME or NAME:PORT",
            parse: { (text) throws(ValueError) in
                _ = try checked { () throws(ConfigurationError) in
                    try HostPolicy(allowing: [text])
                }
                return text
            },
            text: { [$0] })
    }

    /// The origin of a web page.
    static var origin: ValueForm {
        ValueForm(
            name: "SCHEME://HOST",
            parse: { (text) throws(ValueError) in
                _ = try checked { () throws(ConfigurationError) in
                    try OriginPolicy(allowing: [text])
                }
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
    /// `memory`; `sqlite:PATH` is known and refused.
    static var store: ValueForm {
        ValueForm(
            name: "memory",
            parse: { (text) throws(ValueError) in
                if text == "memory" { return .memory }
                guard text.hasPrefix("sqlite:") else {
                    throw ValueError(detail: "`\(text)` is no store: write memory")
                }
                throw ValueError(
                    detail: "this belfryd has no SQLite store yet: write memory, and expect events "
                        + "to be gone after a restart")
            },
            text: { [$0.name] })
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
