internal import Glibc

/// Where the parts of a head lie that may be others in a request like it: its target, and the values of
/// most headers.
struct HeadPlaces {
    /// A line of a header.
    struct Field {
        /// From the beginning of its line to its value.
        let name: Range<Int>
        let value: Range<Int>
        let kind: Kind
    }

    /// What may stand in the place of a header's value.
    enum Kind {
        /// The same alone: what the connection, the rules or libmicrohttpd go by.
        case fixed
        /// Another number: how long the body is.
        case length
        /// Any other text: nobody but the handler looks at it.
        case free
    }

    let target: Range<Int>
    let fields: [Field]
    /// The header that says how long the body is.
    let length: Field?

    /// Where they lie in `head`, which libmicrohttpd has read as `meaning`; nil where others like it have to
    /// be parsed each time.
    init?(_ head: UnsafeRawBufferPointer, of meaning: RequestHead) {
        guard let target = Self.target(in: head, of: meaning),
            let fields = Self.fields(in: head, behind: target.upperBound),
            Self.agree(fields, head, meaning.headers)
        else { return nil }
        self.target = target
        self.fields = fields
        let lengths = fields.filter { $0.kind == .length }
        guard lengths.count <= 1 else { return nil }
        length = lengths.first
    }

    private static func target(
        in head: UnsafeRawBufferPointer, of meaning: RequestHead
    ) -> Range<Int>? {
        let start = meaning.method.utf8.count + 1
        let end = start + meaning.target.raw.utf8.count
        guard end < head.count, head[start..<end].elementsEqual(meaning.target.raw.utf8),
            head[start - 1] == 0x20, head[end] == 0x20
        else { return nil }
        return start..<end
    }

    /// The lines behind that of the request; nil where one does not end in CR and LF, or asks for more than
    /// to have the connection kept or closed.
    private static func fields(
        in head: UnsafeRawBufferPointer, behind target: Int
    ) -> [Field]? {
        guard var start = lineEnd(in: head, from: target) else { return nil }
        var fields: [Field] = []
        while let end = lineEnd(in: head, from: start), end - start > 2 {
            let line = UnsafeRawBufferPointer(rebasing: head[start..<end - 2])
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let kind = kind(of: UnsafeRawBufferPointer(rebasing: line[..<colon]), line)
            else { return nil }
            let rest = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
            let blanks = rest.firstIndex { !$0.isBlank } ?? rest.count
            let value = start + colon + 1 + blanks
            // Blanks behind a value are no part of it, and another value may have none.
            guard rest.isEmpty || rest.last?.isBlank == false else { return nil }
            fields.append(Field(name: start..<value, value: value..<end - 2, kind: kind))
            start = end
        }
        return start + 2 == head.count ? fields : nil
    }

    /// Where the line that `start` is in has ended; nil where that is no CR and LF.
    private static func lineEnd(in head: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = head.baseAddress, start < head.count,
            let found = memchr(base + start, 0x0A, head.count - start)
        else { return nil }
        let feed = UnsafeRawPointer(found) - base
        return feed > start && head[feed - 1] == 0x0D ? feed + 1 : nil
    }

    /// What may stand in the place of a header's value; nil where a request with it is never known.
    private static func kind(
        of name: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer
    ) -> Kind? {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"): return .fixed
        case 6 where name.equalsIgnoringCase("origin"): return .fixed
        case 6 where name.equalsIgnoringCase("cookie"): return .fixed
        case 6 where name.equalsIgnoringCase("expect"): return nil
        case 7 where name.equalsIgnoringCase("upgrade"): return nil
        case 10 where name.equalsIgnoringCase("connection"):
            let value = UnsafeRawBufferPointer(rebasing: line[11...]).trimmingBlanks()
            return value.equalsIgnoringCase("keep-alive") || value.equalsIgnoringCase("close")
                ? .fixed : nil
        case 14 where name.equalsIgnoringCase("content-length"): return .length
        case 17 where name.equalsIgnoringCase("transfer-encoding"): return nil
        case 10... where name.hasPrefixIgnoringCase("sec-fetch-"): return .fixed
        default: return .free
        }
    }

    /// Whether libmicrohttpd has found the same headers.
    private static func agree(
        _ fields: [Field], _ head: UnsafeRawBufferPointer, _ headers: HeaderFields
    ) -> Bool {
        // The length of the body is not kept among them.
        let fields = fields.filter { $0.kind != .length }
        var (index, agree) = (0, fields.count == headers.count)
        headers.forEach { name, value in
            guard agree else { return }
            let field = fields[index]
            agree =
                head[field.name].starts(with: name)
                && head[field.name.lowerBound + name.count] == UInt8(ascii: ":")
                && head[field.value].elementsEqual(value)
            index += 1
        }
        return agree
    }
}
