internal import CMicroHTTPD

/// An answer as libmicrohttpd takes it.
enum OutgoingResponse {
    /// Gives the answer to a connection of the parser; false when it would not take it.
    static func queue(
        _ response: Response, for context: ResponseContext, on parser: OpaquePointer,
        ledger: UnsentLedger
    ) -> Bool {
        guard let outgoing = make(response.body, ledger: ledger) else { return false }
        defer { MHD_destroy_response(outgoing) }
        func add(_ headers: HeaderLines) {
            headers.forEach { name, value in MHD_add_response_header(outgoing, name, value) }
        }
        response.forEachHeaders(for: context.crossOrigin, add)
        if response.closesConnection { add([("Connection", "close")]) }
        return MHD_queue_response(parser, UInt32(response.status), outgoing) == .YES
    }

    /// An upper bound of the bytes that an answer's status line and headers take.
    static func headBytes(of response: Response, for context: ResponseContext) -> Int {
        // Status line, Date, Content-Length, Connection.
        var bytes = 192
        response.forEachHeaders(for: context.crossOrigin) { bytes += $0.bytes.count }
        return bytes
    }

    private static func make(_ body: ResponseBody, ledger: UnsentLedger) -> OpaquePointer? {
        guard body.count > HTTPFrontLimits.copiedBodyBytesMax else {
            return body.withBytes { belfry_mhd_copied($0.baseAddress, $0.count) }
        }
        let holder = BodyHolder(body, ledger: ledger)
        // Unmanaged: held by the response until it calls `freeBody`.
        let reference = Unmanaged.passRetained(holder)
        let response = belfry_mhd_shared(
            holder.bytes.baseAddress, holder.bytes.count, ParserThunks.freeBody,
            reference.toOpaque())
        // Unmanaged: without a response nobody else releases it.
        if response == nil { reference.release() }
        return response
    }
}

/// A body that stays in place until the last byte is with the kernel, counted in the ledger.
final class BodyHolder {
    let bytes: UnsafeRawBufferPointer
    private let body: ResponseBody
    private let ledger: UnsentLedger

    init(_ body: ResponseBody, ledger: UnsentLedger) {
        self.body = body
        self.ledger = ledger
        bytes =
            if case .shared(let shared) = body { shared.bytes } else { Self.copy(of: body) }
        ledger.charge(body, extra: 0)
    }

    deinit {
        ledger.release(body, extra: 0)
        if case .shared = body { return }
        bytes.deallocate()
    }

    /// An array's own bytes hold still only while somebody looks at them.
    private static func copy(of body: ResponseBody) -> UnsafeRawBufferPointer {
        body.withBytes { source in
            let copy = UnsafeMutableRawBufferPointer.allocate(
                byteCount: source.count, alignment: 16)
            copy.copyMemory(from: source)
            return UnsafeRawBufferPointer(copy)
        }
    }
}
