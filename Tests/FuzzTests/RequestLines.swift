@testable import HTTPFront

/// A request as its target and its header lines, in the bytes that are sent and in what they say.
struct RequestLines {
    /// What it is judged by.
    static let rules = RequestRules(hosts: HostPolicy(), origins: OriginPolicy())

    let method: String
    /// The target, then the headers.
    let lines: [[UInt8]]

    var bytes: [UInt8] {
        let end = Array("\r\n".utf8)
        var bytes = Array("\(method) ".utf8)
        bytes += lines[0]
        bytes += Array(" HTTP/1.1".utf8)
        for line in lines.dropFirst() { bytes += end + line }
        return bytes + end + end
    }

    var headers: HeaderFields {
        var headers = HeaderFields()
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            name.withUnsafeBytes { name in
                line.dropFirst(name.count + 1).withUnsafeBytes {
                    headers.append(name: name, value: $0)
                }
            }
        }
        return headers
    }

    /// A target, then headers, one a line: a POST if one of them is Content-Length, else a GET.
    init(_ input: UnsafeRawBufferPointer) {
        lines = input.parts(20).map(Array.init)
        let hasLength = lines.dropFirst().contains { line in
            line.prefix(15).map { $0 | 0x20 }.elementsEqual("content-length:".utf8)
        }
        method = hasLength ? "POST" : "GET"
    }

    /// What it is known by once it was parsed; nil where it is parsed each time.
    func known(over peer: Peer = Peer(transport: .unix)) -> KnownHead? {
        guard let head = head(from: peer) else { return nil }
        return bytes.withUnsafeBytes { KnownHead($0, of: head, at: peer.localPort) }
    }

    /// What it says, if nothing is wrong with it.
    func head(from peer: Peer = Peer(transport: .unix)) -> RequestHead? {
        lines[0].withUnsafeBytes { target in
            Array(method.utf8).withUnsafeBytes { method in
                try? Self.rules.read(
                    method: method, target: target, version: .http11, headers: headers,
                    peer: peer
                ).head
            }
        }
    }
}
