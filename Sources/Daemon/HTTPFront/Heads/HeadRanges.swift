/// The places of the parts of a head that may differ in a request like it: its target, and the
/// values of most headers.
struct HeadRanges {
    /// A line of a header.
    struct Field {
        /// The bytes from the beginning of its line to its value.
        let name: Range<Int>
        let value: Range<Int>
        let kind: Kind
    }

    /// The values that may stand in the place of a header's value.
    enum Kind {
        /// The same value alone: the connection, the rules or libmicrohttpd go by it.
        case fixed
        /// Another number: the length of the body.
        case length
        /// Any other text: nobody but the handler looks at it.
        case free
    }

    let target: Range<Int>
    let fields: [Field]
    /// The header that says how long the body is.
    let length: Field?

    /// Finds the places in `head`, which libmicrohttpd has read as `meaning`. Nil if others like it
    /// have to be parsed each time.
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

    /// The header lines, behind the request line. Nil if one does not end in CR and LF, or asks for
    /// more than to have the connection kept or closed.
    private static func fields(
        in head: UnsafeRawBufferPointer, behind target: Int
    ) -> [Field]? {
        guard var start = line(in: head, from: target)?.next else { return nil }
        var fields: [Field] = []
        while let line = line(in: head, from: start) {
            guard !line.bytes.isEmpty else { return line.next == head.count ? fields : nil }
            let (name, rest) = RequestHeadReader.parts(of: line.bytes)
            guard let name, let kind = kind(of: name, rest) else { return nil }
            let blanks = rest.firstIndex { !$0.isBlank } ?? rest.count
            let value = start + name.count + 1 + blanks
            // Blanks behind a value are no part of it, and another value may have none.
            guard rest.isEmpty || rest.last?.isBlank == false else { return nil }
            fields.append(
                Field(name: start..<value, value: value..<start + line.bytes.count, kind: kind))
            start = line.next
        }
        return nil
    }

    /// The line that `start` is in; nil where that does not end in CR and LF.
    private static func line(
        in head: UnsafeRawBufferPointer, from start: Int
    ) -> RequestHeadReader.Line? {
        guard let line = RequestHeadReader.line(in: head, from: start),
            start + line.bytes.count + 2 == line.next
        else { return nil }
        return line
    }

    /// The values that may stand in the place of a header's value; nil if a request with it is
    /// never known.
    private static func kind(
        of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> Kind? {
        switch MessageHeader(name) {
        case .expect, .upgrade, .transferEncoding: return nil
        case .connection:
            let value = value.trimmingBlanks()
            return value.equalsIgnoringCase("keep-alive") || value.equalsIgnoringCase("close")
                ? .fixed : nil
        case .contentLength: return .length
        case .host, .origin, .cookie, .fetchSite, .fetchMetadata: return .fixed
        case nil: return .free
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
