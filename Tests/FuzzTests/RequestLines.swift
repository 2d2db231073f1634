@testable import HTTPFront

/// A request as its target and its header lines, in the bytes that are sent and in what they say.
struct RequestLines {
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

    /// What it says, if nothing is wrong with it.
    var head: RequestHead? {
        let rules = RequestRules(hosts: HostPolicy(), origins: OriginPolicy())
        return lines[0].withUnsafeBytes { target in
            Array(method.utf8).withUnsafeBytes { method in
                try? rules.head(
                    method: method, target: target, version: .http11, headers: headers,
                    isFolded: false, peer: Peer(transport: .unix))
            }
        }
    }
}
