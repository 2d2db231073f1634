/// Where in the bytes of a parsed head stand the parts that may differ.
struct HeadPlaces {
    /// The head, from its first byte to the last of the empty line; with the parameter that may be
    /// added to its target, if one may.
    let bytes: [UInt8]
    /// Where the target stands in them.
    let target: Range<Int>
    /// Where the name stands in them that may differ; empty, in front, where none may.
    let name: Range<Int>
    /// Where the value stands in them.
    let value: Range<Int>
    /// Where the value of traceparent stands in them, which means nothing here; empty where there is none
    /// that may differ.
    let trace: Range<Int>

    /// The places in the bytes of a request; nil where they are not what the parser took them for.
    init?(
        _ parsed: [UInt8], of head: RequestHead, valueAt place: ValuePlace, name: Range<Int>?
    ) {
        var bytes = parsed
        guard var target = Self.target(of: head, in: bytes) else { return nil }
        let value: Range<Int>
        switch place {
        case .target(let range), .word(let range):
            // Without it, digits would be more of the parameter's name.
            guard range.upperBound <= target.count, range.lowerBound > 0,
                bytes[target.lowerBound + range.lowerBound - 1] == UInt8(ascii: "=")
            else { return nil }
            value = target.lowerBound + range.lowerBound..<target.lowerBound + range.upperBound
        case .parameter(let name):
            guard head.target.query.count < HTTPFrontLimits.queryItemsMax else { return nil }
            let end = Self.insert(name, behind: target, in: &bytes)
            target = target.lowerBound..<end
            value = end..<end
        case .header(let name):
            guard let range = Self.value(of: name, head.headers, in: bytes, behind: target)
            else { return nil }
            value = range
        case .length:
            guard
                let range = Self.value(
                    of: "content-length", head.headers, in: bytes, behind: target)
            else { return nil }
            value = range
        case .nowhere: value = target.upperBound..<target.upperBound
        }
        self.bytes = bytes
        self.target = target
        self.value = value
        self.name = Self.place(of: name, target, before: value, in: bytes) ?? 0..<0
        let isSingle = head.headers.occurrences(of: "traceparent") == 1
        trace = isSingle ? bytes.withUnsafeBytes { TraceParent.value(in: $0) } : 0..<0
    }

    /// Where the target stands, if the bytes begin as a request of this head does.
    private static func target(of head: RequestHead, in bytes: [UInt8]) -> Range<Int>? {
        let begin = head.method.utf8.count + 1
        let end = begin + head.target.raw.utf8.count
        guard bytes.count > end, bytes.starts(with: head.method.utf8),
            bytes[begin - 1] == UInt8(ascii: " "),
            bytes[begin..<end].elementsEqual(head.target.raw.utf8),
            bytes[end...].starts(with: bytesOf(head.version.lineEnd))
        else { return nil }
        return begin..<end
    }

    /// Adds a parameter without a value to a target, and returns where its value begins.
    private static func insert(
        _ name: StaticString, behind target: Range<Int>, in bytes: inout [UInt8]
    ) -> Int {
        var parameter: [UInt8] = []
        let isFirst = !bytes[target].contains(UInt8(ascii: "?"))
        parameter.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&"))
        parameter.append(name)
        parameter.append(UInt8(ascii: "="))
        var longer: [UInt8] = []
        longer.reserveCapacity(bytes.count + parameter.count)
        longer += bytes[..<target.upperBound]
        longer += parameter
        longer += bytes[target.upperBound...]
        bytes = longer
        return target.upperBound + parameter.count
    }

    /// Where the value of a field stands: on the one line that begins with its name, provided that
    /// it is what the parser took for the value.
    private static func value(
        of name: StaticString, _ headers: HeaderFields, in bytes: [UInt8], behind target: Range<Int>
    ) -> Range<Int>? {
        guard headers.occurrences(of: name) == 1 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var start = target.upperBound
            while let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                start = feed + 1
                let colon = start + name.utf8CodeUnitCount
                guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
                    UnsafeRawBufferPointer(rebasing: bytes[start..<colon]).equalsIgnoringCase(name)
                else { continue }
                let begin = bytes[(colon + 1)...].firstIndex { !$0.isBlank } ?? bytes.count
                let isIt = headers.withFirst(name) { value in
                    bytes[begin...].starts(with: value) ? value.count : nil
                }
                return (isIt ?? nil).map { begin..<begin + $0 }
            }
            return nil
        }
    }

    /// Where a name of the target stands that is plain; nil for another, and where there is none.
    private static func place(
        of name: Range<Int>?, _ target: Range<Int>, before value: Range<Int>, in bytes: [UInt8]
    ) -> Range<Int>? {
        guard let name else { return nil }
        let place = target.lowerBound + name.lowerBound..<target.lowerBound + name.upperBound
        let end = bytes.withUnsafeBytes { nameEnd(in: $0, from: place.lowerBound) }
        return end == place.upperBound && place.upperBound <= value.lowerBound ? place : nil
    }

    /// The end of the plain name that stands in `bytes` from `start` on; nil where none does, or
    /// where it is longer than a head that is kept.
    static func nameEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let bytes = bytes[..<min(bytes.count, start + HTTPFrontLimits.keptHeadBytesMax)]
        var end = start
        while end < bytes.count, bytes[end].isPlain { end += 1 }
        // Dots in front may be a segment that means another path.
        return end > start && bytes[start] != UInt8(ascii: ".") ? end : nil
    }

    private static func bytesOf(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension HTTPVersion {
    /// What stands behind the target in the line of a request.
    fileprivate var lineEnd: StaticString {
        switch self {
        case .http10: " HTTP/1.0\r\n"
        case .http11: " HTTP/1.1\r\n"
        }
    }
}
