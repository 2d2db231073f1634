internal import CLinux

/// The state of a peer that sends no more.
enum PeerLiveness: Equatable {
    /// Nobody is left to read an answer.
    case gone
    /// It closed its sending side only, and waits for the answer.
    case halfClosed
    /// The kernel cannot tell: not loopback, or it could not be asked.
    case unknown

    /// Judges a connected socket on which `EPOLLRDHUP` was seen.
    ///
    /// On unix sockets a closed peer hangs up, a half-closed one does not. On TCP both look the
    /// same from here, but the peer's own socket tells: none, or one without an inode, has no
    /// process. A half-closed answer holds for the moment only; ask again, at most
    /// `HTTPFrontLimits.halfClosedRecheckSeconds` later.
    init(of descriptor: Int32, table: SocketTable) {
        if clinux_is_hung_up(descriptor) != 0 {
            self = .gone
            return
        }
        guard let local = SocketAddress(localOf: descriptor) else {
            self = .halfClosed
            return
        }
        guard let remote = SocketAddress(remoteOf: descriptor) else {
            self = .gone
            return
        }
        guard remote.isLoopback, local.isLoopback else {
            self = .unknown
            return
        }
        switch table.row(ofPeerAt: remote, connectedTo: local) {
        case .found(let row): self = row.inode == 0 ? .gone : .halfClosed
        case .none: self = .gone
        case .failed: self = .unknown
        }
    }
}
