/// What a client is made with.
public struct ClientConfiguration: Sendable {
    /// Where the bus is.
    public var address: BusAddress
    /// Gives the token of each request, or nil for none; called on any thread, and should return at
    /// once.
    public var token: @Sendable () -> String?

    /// A client of the bus at `address`, without a token if none is given.
    public init(
        address: BusAddress = .loopback, token: @escaping @Sendable () -> String? = { nil }
    ) {
        self.address = address
        self.token = token
    }

    /// The header with the token, if there is one.
    ///
    /// - Throws: `ClientError.unsendable` for a token that no header can have.
    func authorization() throws(ClientError) -> [String] {
        guard let token = token() else { return [] }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .unsendable("the token has bytes that no token has: write it without spaces")
        }
        return ["Authorization: Bearer \(token)"]
    }
}
