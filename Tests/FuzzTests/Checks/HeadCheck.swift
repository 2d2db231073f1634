@testable import HTTPFront

extension ParserCheck {
    /// A request means the same with its headers in another order, their names in other letters,
    /// and one more among them that says nothing.
    ///
    /// Input: a line `METHOD TARGET`, then the headers, one a line.
    static let head = ParserCheck("head", bytesMax: 512) { input in
        let text = RequestText(input)
        for version in [HTTPVersion.http10, .http11] {
            for isLocal in [true, false] {
                let meaning = text.meaning(text.fields, version: version, isLocal: isLocal)
                for other in text.variants {
                    try agree(
                        text.meaning(other, version: version, isLocal: isLocal), meaning,
                        "the head, and with its headers written otherwise")
                }
                guard let meaning else { continue }
                try agree(text.bodyLength(in: version), meaning.bodyLength, "length of the body")
                // An old client may ask for the methods of the server without a name.
                let asksForMethods =
                    meaning.path.isEmpty && text.method.elementsEqual("OPTIONS".utf8)
                let mayHaveNone = isLocal || version == .http10 && asksForMethods
                let count = text.values("host").count
                try hold(count == 1 || count == 0 && mayHaveNone, "no Host, or two")
            }
        }
        try agree(text.headers.count, text.fields.count, "fields")
        for name in ["host", "x"] as [StaticString] {
            try agree(text.headers.all(name), text.values("\(name)"), "values of \(name)")
            try agree(text.headers.first(name), text.values("\(name)").first, "value of \(name)")
        }
    }
}

/// What a head comes to.
private struct Meaning: Equatable {
    let path: [String]
    let host: Authority?
    let keepsAlive: Bool
    let bodyLength: RequestHead.BodyLength
    let crossOrigin: CrossOrigin?
}

/// A request as it was written.
private struct RequestText {
    typealias Field = (name: [UInt8], value: [UInt8])

    let method: UnsafeRawBufferPointer
    let target: UnsafeRawBufferPointer
    let fields: [Field]

    init(_ input: UnsafeRawBufferPointer) {
        let lines = input.parts(40)
        let words = lines[0].split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        method = UnsafeRawBufferPointer(rebasing: words[0])
        target =
            words.count > 1
            ? UnsafeRawBufferPointer(rebasing: words[1]) : .init(start: nil, count: 0)
        fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            return (Array(name), Array(line.dropFirst(name.count + 1)))
        }
    }

    var headers: HeaderFields { Self.headers(fields) }

    /// The same fields in other words.
    var variants: [[Field]] {
        [
            fields.reversed(),
            fields.map { ($0.name.map(Self.otherCase), [0x20, 0x09] + $0.value) },
            [(Array("x-y".utf8), Array("close".utf8))] + fields,
        ]
    }

    func meaning(_ fields: [Field], version: HTTPVersion, isLocal: Bool) -> Meaning? {
        let rules = RequestRules(hosts: HostPolicy(), origins: OriginPolicy())
        let peer = isLocal ? Peer(transport: .unix) : Self.remote
        guard
            let (head, bodyLength) = try? rules.read(
                method: method, target: target, version: version, headers: Self.headers(fields),
                peer: peer)
        else { return nil }
        return Meaning(
            path: head.target.path, host: head.host, keepsAlive: head.keepsAlive,
            bodyLength: bodyLength, crossOrigin: head.crossOrigin)
    }

    /// The length by the words of the standard alone; nil where it has to be refused.
    func bodyLength(in version: HTTPVersion) -> RequestHead.BodyLength? {
        let lengths = values("content-length")
        let codings = values("transfer-encoding")
        switch (lengths.count, codings.count) {
        case (0, 0): return RequestHead.BodyLength.none
        case (1, 0):
            guard lengths[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            let digits = lengths[0].drop { $0 == "0" }
            if digits.isEmpty { return lengths[0].isEmpty ? nil : .counted(0) }
            return UInt64(digits).flatMap { $0 <= 1 << 53 ? .counted($0) : nil }
        case (0, 1):
            return codings[0].lowercased() == "chunked" && version == .http11 ? .chunked : nil
        default: return nil
        }
    }

    func values(_ name: String) -> [String] {
        fields.filter { String(decoding: $0.name, as: UTF8.self).lowercased() == name }
            .map { field in
                let text = String(decoding: field.value, as: UTF8.self).unicodeScalars
                let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
                var value = text.drop(while: isBlank)
                while let last = value.last, isBlank(last) { value.removeLast() }
                return String(value)
            }
    }

    private static func otherCase(_ byte: UInt8) -> UInt8 {
        let isLetter = (0x41...0x5A).contains(byte & ~0x20)
        return isLetter ? byte ^ 0x20 : byte
    }

    private static func headers(_ fields: [Field]) -> HeaderFields {
        var headers = HeaderFields()
        for field in fields {
            field.name.withUnsafeBytes { name in
                field.value.withUnsafeBytes { headers.append(name: name, value: $0) }
            }
        }
        return headers
    }

    private static let remote = Peer(
        transport: .tcp(
            local: SocketAddress(numeric: "127.0.0.1", port: 7464)!,
            remote: SocketAddress(numeric: "127.0.0.1", port: 40_000)!))
}
