/// The address of a receiver of webhooks: one of HTTP with a path, which need not be that of a bus.
package struct WebhookAddress: Hashable, Sendable, CustomStringConvertible {
    /// The scheme and the host.
    let base: BusAddress
    /// The path and the query.
    let path: String

    /// The address that a text spells; nil where it begins with neither `http://` nor `https://`, or
    /// has a user, a fragment or a byte in it that no address has.
    package init?(_ text: String) {
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        guard !host.isEmpty, !host.contains("@"), let base = BusAddress(scheme + host) else {
            return nil
        }
        self.base = base
        let path = rest.dropFirst(host.count)
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// The address without the path, in which people put secrets.
    package var description: String { "\(base)" }
}
