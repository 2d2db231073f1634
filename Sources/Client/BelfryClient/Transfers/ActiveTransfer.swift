internal import CCurl

/// A transfer that libcurl has; only its loop's thread uses it.
final class ActiveTransfer {
    let transfer: Transfer
    let easy = EasyHandle()
    private var head = HeadCollector()
    private var given = 0
    private var peer = PeerCheck()
    /// The end of a transfer that was given up before anything was sent.
    private var objection: TransferEnd?

    /// - Parameter isAlone: Whether it takes none of the connections that there are.
    init(_ transfer: Transfer, isAlone: Bool) {
        self.transfer = transfer
        register(with: easy)
        setAddress()
        setRequest()
        if isAlone { easy.set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func setAddress() {
        easy.set(CURLOPT_URL, transfer.address.base + transfer.path)
        if let path = transfer.address.socketPath { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        // A group may have dots for its name.
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // The proxies of the environment are not for a bus on this machine.
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_TCP_KEEPALIVE, 1)
        easy.set(CURLOPT_BUFFERSIZE, 128 << 10)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Limits.connectMillisecondsMax)
        if let limit = transfer.millisecondsMax { easy.set(CURLOPT_TIMEOUT_MS, limit) }
        if let file = transfer.authorities { easy.set(authorities: file) }
    }

    private func setRequest() {
        var headers = transfer.headers
        switch transfer.method {
        case .get: break
        case .head: easy.set(CURLOPT_NOBODY, 1)
        case .put, .delete: easy.set(CURLOPT_CUSTOMREQUEST, transfer.method.rawValue)
        case .post:
            easy.set(CURLOPT_POST, 1)
            let count = transfer.body?.count ?? 0
            belfry_curl_set_offset(easy.pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(count))
            // Without a question first, which would cost a way there and back.
            headers.append("Expect:")
            if !headers.contains(where: { $0.hasPrefix("Content-Type:") }) {
                headers.append("Content-Type:")
            }
        }
        easy.set(headers: headers)
        // Without a body libcurl has nothing to ask for again before it repeats the request: see
        // the thunk for seeking. On a new connection it does not repeat.
        if transfer.method.changes, transfer.body?.count ?? 0 == 0 {
            easy.set(CURLOPT_FRESH_CONNECT, 1)
        }
    }

    // MARK: Callbacks of libcurl

    /// Makes the socket of a new connection.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        let socket = belfry_curl_socket(address)
        if transfer.isForKnown, socket >= 0 { peer.opens(socket, to: PeerAddress(address)) }
        return socket
    }

    /// Whether the request may be sent on the connection that there is now.
    func mayBegin(on ip: String, _ port: Int32) -> Bool {
        guard transfer.isForKnown else { return true }
        switch peer.verdict(on: PeerAddress(ip: ip, port: UInt16(truncatingIfNeeded: port))) {
        case .trusted: return true
        case .untrusted(let sentence): objection = .untrusted(sentence)
        case .changed:
            objection = .broken(
                "\(transfer.address): another program listens there than a moment ago",
                mayHaveArrived: false)
        }
        easy.set(CURLOPT_FORBID_REUSE, 1)
        return false
    }

    func takeHeader(_ line: UnsafeRawBufferPointer) {
        if let head = head.take(line) { transfer.receiver.begin(head) }
    }

    /// How many bytes were taken, as libcurl wants to know it.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch transfer.receiver.take(bytes) {
        case .taken: bytes.count
        case .noRoom: Int(CURL_WRITEFUNC_PAUSE)
        case .tooMuch: -1
        }
    }

    func giveBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = transfer.body else { return 0 }
        let count = min(buffer.count, body.count - given)
        buffer.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: body.bytes[given..<given + count]))
        given += count
        return count
    }

    // MARK: The end

    /// The end of the transfer that libcurl's code stands for.
    func end(_ code: CURLcode) -> TransferEnd {
        if let objection { return objection }
        guard code != CURLE_OK else { return .complete }
        let sentence = "\(transfer.address): \(sentence(code))"
        guard !Self.areCertificates.contains(code) else { return .uncertified(sentence) }
        return .broken(
            sentence, mayHaveArrived: transfer.method.changes && mayHaveArrived(code))
    }

    /// The codes of a certificate that no wait makes a better one.
    private static let areCertificates: [CURLcode] = [
        CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
    ]

    /// The sentence for a code. libcurl's own one says nothing that helps to mend a certificate.
    private func sentence(_ code: CURLcode) -> String {
        let general = String(cString: curl_easy_strerror(code))
        guard !easy.detail.isEmpty else { return general }
        return switch code {
        case CURLE_PEER_FAILED_VERIFICATION: "its certificate is not trusted: \(easy.detail)"
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE: easy.detail
        default: general
        }
    }

    /// The end of a transfer that was given up.
    var endOfCancelled: TransferEnd {
        transfer.method.changes
            ? .broken("it was cancelled", mayHaveArrived: mayHaveArrived(CURLE_ABORTED_BY_CALLBACK))
            : .cancelled
    }

    private func mayHaveArrived(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
            CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_SSL_CONNECT_ERROR:
            false
        default:
            // Without the whole body it is no request.
            given == transfer.body?.count ?? 0
        }
    }
}

/// Makes an ``AnswerHead`` of the lines of one, as libcurl hands them on.
struct HeadCollector {
    private var status = 0
    private var fields: [String: String] = [:]

    /// Takes a line with its end; the head, if that was its last one. Interim answers are none.
    mutating func take(_ line: UnsafeRawBufferPointer) -> AnswerHead? {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            status = words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0
            fields = [:]
            return nil
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return text == "\r\n" && status >= 200
                ? AnswerHead(status: status, fields: fields) : nil
        }
        let isSpace = { (byte: UInt8) in
            byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
        }
        let value = text[text.index(after: colon)...].utf8.drop(while: isSpace)
        let end = value.lastIndex { !isSpace($0) }.map { value.index(after: $0) }
        fields[text[..<colon].lowercased()] = String(value[..<(end ?? value.startIndex)])
        return nil
    }
}
