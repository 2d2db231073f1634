import Glibc

@testable import HTTPFront

extension ParserCheck {
    /// A host that is read again stays the same, and is loopback only where the system says so.
    static let authority = ParserCheck("authority", bytesMax: 128) { input in
        guard let authority = Authority(input) else { return }
        let text = input.text
        try agree(authority.host, authority.host.lowercased(), "host, and in lower case")
        if !authority.host.hasSuffix(".") {
            try agree(Authority(authority.description), authority, "host read again")
        }
        let isBracketed = text.hasPrefix("[")
        let digits = text.split(separator: "]").last?.split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let port =
            isBracketed && text.hasSuffix("]") ? nil : digits.flatMap { $0.count > 1 ? $0[1] : nil }
        try agree(authority.port, port.flatMap { UInt16($0) }, "port")
        if isBracketed {
            try agree(
                address(of: authority.host.dropFirst().dropLast(), AF_INET6),
                address(of: text.dropFirst().prefix { $0 != "]" }, AF_INET6), "address")
        }
        try checkLoopback(authority)
    }

    private static func checkLoopback(_ authority: Authority) throws(Broken) {
        let host = authority.host
        let isLoopback =
            host == "localhost" || host == "[::1]"
            || host.hasSuffix(".localhost") && host != ".localhost" && !host.hasPrefix(".")
            || address(of: host[...], AF_INET)?.first == 127
        try agree(HostPolicy.isLoopback(host), isLoopback, "loopback")
        for port in [authority.port, 7464].compactMap(\.self) {
            let isOurs = authority.port == nil || authority.port == port
            try agree(HostPolicy().admits(authority, at: port), isLoopback && isOurs, "admission")
        }
    }

    /// The bytes of a numeric address, as the system reads it.
    private static func address(of text: Substring, _ family: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard !text.utf8.contains(0), inet_pton(family, String(text), &bytes) == 1 else {
            return nil
        }
        return family == AF_INET ? Array(bytes.prefix(4)) : bytes
    }
}
