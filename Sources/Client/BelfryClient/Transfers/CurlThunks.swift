internal import CCurl

// The functions that libcurl calls. All of them run on the loop's thread, inside
// `MultiHandle.perform` or `EasyHandle.resume`.
//
// | pointer  | given by             | retained by       | never again after       |
// |----------|----------------------|-------------------|-------------------------|
// | owner    | ActiveTransfer.begin | TransferLoop      | curl_multi_remove_handle |
// | bytes    | libcurl              | libcurl           | the call returns        |

// Unmanaged: the loop keeps the transfer until libcurl has let go of it.
private func active(_ owner: UnsafeMutableRawPointer?) -> ActiveTransfer {
    Unmanaged<ActiveTransfer>.fromOpaque(owner!).takeUnretainedValue()
}

extension ActiveTransfer {
    /// Has libcurl call the verbs of this transfer.
    func register(with easy: EasyHandle) {
        // Unmanaged: the loop keeps the transfer until libcurl has let go of it.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        belfry_curl_set_bytes(easy.pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
            active(owner).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        belfry_curl_set_pointer(easy.pointer, CURLOPT_HEADERDATA, owner)
        belfry_curl_set_bytes(easy.pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            active(owner).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        belfry_curl_set_pointer(easy.pointer, CURLOPT_WRITEDATA, owner)
        belfry_curl_set_bytes(easy.pointer, CURLOPT_READFUNCTION) { bytes, size, count, owner in
            active(owner).giveBody(
                into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        belfry_curl_set_pointer(easy.pointer, CURLOPT_READDATA, owner)
        belfry_curl_set_opening(
            easy.pointer, { owner, _, address in active(owner).open(address!) }, owner)
        belfry_curl_set_ready(
            easy.pointer,
            { owner, ip, _, port, _ in
                active(owner).mayBegin(on: ip.map { String(cString: $0) } ?? "", port)
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, owner)
        // libcurl would repeat a request by itself that got no answer on a connection that it had
        // used before. It asks for the body again here, and gives up where it cannot have it.
        belfry_curl_set_seek(easy.pointer) { _, _, _ in CURL_SEEKFUNC_FAIL }
    }
}
