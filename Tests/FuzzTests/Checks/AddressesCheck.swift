@testable import HTTPFront

extension ParserCheck {
    /// An address to listen at that is taken is the same when it is written and read again.
    static let addresses = ParserCheck("addresses", bytesMax: 160) { input in
        guard let text = input.utf8, let address = try? ListenAddress(text) else { return }
        try agree(try ListenAddress(address.description), address, "address read again")
        if case .unix(let path, _) = address {
            try agree(path, String(text.dropFirst(5)), "path")
            try hold(path.utf8.count <= HTTPFrontLimits.unixPathBytesMax, "a path too long")
        }
    }
}
