/// The listeners to which a client sends its token.
public enum TokenTrust: Hashable, Sendable {
    /// Listeners of root, of the account `belfryd` and of the process's own user, over `http` on
    /// this machine and over unix sockets; over `https`, the owner of the certificate. The client
    /// sends nothing at all to any other listener, and its verbs throw `ClientError.untrusted`.
    ///
    /// While the bus is away any user of the machine may listen in its place.
    case known
    /// Any listener, and with it everybody that reads on the way.
    case anyone
}

/// The settings of a client.
public struct ClientConfiguration: Sendable {
    /// The address of the bus.
    public var address: BusAddress
    /// The listeners that get the token. A request without a token goes to any listener.
    public var trust: TokenTrust
    /// Gives the token of each request, or nil for none; called on any thread, and should return at
    /// once.
    public var token: @Sendable () -> String?
    /// Called if a subscription lost the bus and does not find it again: once, after the fourth
    /// connection in a row that failed. If they are refused, that takes 1.5 s at most. The
    /// subscription goes on trying. Called on the task that reads it; it should return at once.
    public var interrupted: @Sendable (ClientError) -> Void

    /// How long a publish is sent again from its first lost answer on, with a key by which a repeat makes no second
    /// event.
    /// With zero each is sent once, and without a key unless one is given.
    public var patience: Duration

    /// A client of the bus at `address`, without a token if none is given.
    public init(
        address: BusAddress = .loopback, trust: TokenTrust = .known,
        patience: Duration = .seconds(10),
        token: @escaping @Sendable () -> String? = { nil },
        interrupted: @escaping @Sendable (ClientError) -> Void = { _ in }
    ) {
        self.address = address
        self.trust = trust
        self.patience = patience
        self.token = token
        self.interrupted = interrupted
    }

    /// The header with the token, if there is one, and whether it is for known users alone.
    ///
    /// - Throws: `ClientError.unsendable` for a token that no header can have.
    func authorization() throws(ClientError) -> (headers: [String], isForKnown: Bool) {
        guard let token = token() else { return ([], false) }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .unsendable("the token has bytes that no token has: write it without spaces")
        }
        return (["Authorization: Bearer \(token)"], trust == .known && !address.isCertified)
    }
}
