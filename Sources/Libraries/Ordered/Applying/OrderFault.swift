/// Why a host follows an order no further.
package enum OrderFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Appends between the last one and this one are gone.
    case hole(after: Int64, found: Int64)
    /// Other appends lie before this one than this host has applied.
    case otherPast(Int64)
    /// The host that asked for this append had applied others than this host.
    case otherIssuer(Int64, host: String)
    /// A server that did not lead the order any more took it.
    case oldLine(Int64)
    /// Rules apply to it that this program does not know.
    case newerRules(Int64, UInt32)
    /// Its bytes cannot be read.
    case form(Int64, GroupFormError)

    package var description: String {
        let copy = "put the backup of another host in place of the file of this one"
        switch self {
        case .hole(let after, let found):
            return "append \(after + 1) of the order is gone, the next one is \(found): \(copy)"
        case .otherPast(let sequence):
            return
                "append \(sequence) of the order is not behind those that this host has applied: "
                + "the order was set back, or it is another one"
        case .otherIssuer(let sequence, let host):
            return "append \(sequence) of the order comes from \(host), which has applied other "
                + "appends than this host: compare both, and \(copy)"
        case .oldLine(let sequence):
            return
                "append \(sequence) of the order was taken by a server that does not lead it any "
                + "more: see that one server leads"
        case .newerRules(let sequence, let rules):
            return "append \(sequence) of the order needs rules \(rules), and this program knows "
                + "them up to \(Applier.rules): run the newer one on this host too"
        case .form(let sequence, let error): return "append \(sequence): \(error)"
        }
    }
}
