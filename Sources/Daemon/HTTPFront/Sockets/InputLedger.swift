internal import CLinux

/// How much of what a client sent was taken out of its socket, beside what its requests had.
///
/// The difference is pipelined behind the last request, in libmicrohttpd's buffer, where nobody else
/// can reach it.
struct InputLedger {
    /// Bytes that requests so far had, as far as that is known.
    private var taken: UInt64 = 0
    private var isKnown = true
    /// Whether the kernel counts what is read from a unix socket; nobody can look into it then.
    private var isCounting = false

    /// Counts bytes that belong to a request.
    mutating func add(_ bytes: Int) { taken += UInt64(bytes) }

    /// What a request has is not known: its body is chunked, and nobody counts the framing.
    mutating func lose() { isKnown = false }

    /// Has the kernel count what is read from now on; of a TCP socket it always does.
    mutating func beginCounting(_ descriptor: Int32, _ transport: Peer.Transport) {
        guard transport == .unix, !isCounting else { return }
        taken = 0
        isCounting = clinux_count_reads(descriptor) == 0
        isKnown = isCounting
    }

    /// Ends that before the socket is looked into.
    mutating func endCounting(_ descriptor: Int32) {
        guard isCounting else { return }
        isCounting = false
        clinux_stop_counting_reads(descriptor)
    }

    /// Bytes that were read behind the requests so far; nil when nobody can tell.
    mutating func pipelined(in descriptor: Int32, _ transport: Peer.Transport) -> UInt64? {
        guard isKnown else { return nil }
        let read: UInt64
        switch transport {
        case .tcp:
            guard let bytes = TCPReceipt.bytesTaken(from: descriptor) else { return nil }
            read = bytes
        case .unix:
            let bytes = clinux_counted_reads(descriptor)
            guard bytes >= 0 else { return nil }
            read = UInt64(bytes)
            if read == taken, clinux_count_reads(descriptor) == 0 {
                // Counts from here again, long before the kernel's counter runs out.
                taken = 0
                return 0
            }
        }
        return read >= taken ? read - taken : nil
    }
}
