internal import Glibc

/// What was there to be read on a connection before the parser read it.
struct SeenInput {
    /// Its bytes, as far as a head is ever kept.
    let start: [UInt8]
    /// How many bytes there were.
    let count: Int

    init(_ input: UnsafeRawBufferPointer) {
        start = Array(input.prefix(HTTPFrontLimits.keptHeadBytesMax))
        count = input.count
    }
}

/// The bytes of a head that was parsed, by which the same head with another value in one place,
/// another name in one of its target, and another traceparent, is known without parsing it.
///
/// Everything else in such a request means what it meant before, because the bytes are the same.
/// Where the value is the length of the body, the body follows, as far as it has come. An input that
/// differs in any other way, whose head is not complete, or that has something behind it, is not known.
struct HeadPattern {
    /// Its bytes, and where in them those parts stand.
    let places: HeadPlaces
    /// What may stand at the place of the value.
    let form: ValueKind

    /// What a value is.
    enum ValueKind {
        /// A number in a GET.
        case number
        /// The length of the body of a POST.
        case length
        /// What a name may be, in a POST without a body.
        case word
        /// Nothing, in a POST without a body.
        case nothing
        /// Nothing, in a GET.
        case nothingOfGet

        init(of place: ValuePlace, in method: String) {
            self =
                switch place {
                case .target, .parameter, .header: .number
                case .length: .length
                case .word: .word
                case .nowhere: method == "GET" ? .nothingOfGet : .nothing
                }
        }
    }

    /// The method of its requests.
    var method: String {
        switch form {
        case .number, .nothingOfGet: "GET"
        case .length, .word, .nothing: "POST"
        }
    }

    /// Where the parts that may differ lie in a request.
    struct Parts {
        let target: Range<Int>
        let name: Range<Int>
        let value: Range<Int>
        /// What the value of Content-Length counts, as far as it is there; else empty.
        let body: Range<Int>
        /// How much of the body is not there yet.
        let missingBytes: Int

        static let nowhere = Parts(
            target: 0..<0, name: 0..<0, value: 0..<0, body: 0..<0, missingBytes: 0)
    }

    /// The pattern of the request that was parsed from `seen`; nil when it has to be parsed each time.
    ///
    /// - Parameters:
    ///   - seen: What was there to be read before the parser read.
    ///   - headBytes: How long the parser found the request's line and headers to be.
    ///   - name: Where in the target a name stands that may differ; one that is not plain may not.
    init?(
        _ seen: SeenInput, headBytes: Int, head: RequestHead, valueAt place: ValuePlace,
        name: Range<Int>? = nil
    ) {
        form = ValueKind(of: place, in: head.method)
        guard headBytes <= seen.start.count,
            Self.unknowable.allSatisfy({ head.headers.occurrences(of: $0) == 0 }),
            Self.onlyKeepsOrCloses(head.headers),
            let bodyBytes = Self.bodyBytes(of: head),
            headBytes + bodyBytes < HTTPFrontLimits.receiveBufferBytes,
            (headBytes...headBytes + bodyBytes).contains(seen.count),
            Self.fits(form, head.headers.occurrences(of: "content-length"), bodyBytes),
            let places = HeadPlaces(
                Array(seen.start.prefix(headBytes)), of: head, valueAt: place, name: name)
        else { return nil }
        self.places = places
        // With zeros in front a length can have more digits than one that is known.
        guard head.method == method,
            form != .length || Self.digits.contains(places.value.count)
        else { return nil }
    }

    /// Whether a request with so many lengths, and so much body by them, has values of this form.
    private static func fits(_ form: ValueKind, _ lengths: Int, _ bodyBytes: Int) -> Bool {
        switch form {
        case .number, .nothingOfGet: lengths == 0
        case .length: lengths == 1
        case .word, .nothing: lengths <= 1 && bodyBytes == 0
        }
    }

    /// The hash of all requests with this pattern.
    var hash: UInt32? {
        // The value that was parsed need not have been a number.
        let fixed =
            places.bytes[..<places.value.lowerBound] + places.bytes[places.value.upperBound...]
        return Array(fixed).withUnsafeBytes { HeadHash(of: $0)?.value }
    }

    /// Whether both know the same requests.
    func isSame(as other: HeadPattern) -> Bool {
        form == other.form && fixed == other.fixed
    }

    /// Its bytes with a NUL in place of each part that may differ; no head has one.
    private var fixed: [UInt8] {
        let parts = [places.name, places.value, places.trace].filter { $0 != 0..<0 }
        return parts.sorted { $0.lowerBound > $1.lowerBound }.reduce(into: places.bytes) {
            $0.replaceSubrange($1, with: CollectionOfOne(0))
        }
    }

    /// The parts of a request with this pattern; nil of any other input.
    ///
    /// - Complexity: O(bytes of the pattern).
    func parts(of input: UnsafeRawBufferPointer) -> Parts? {
        guard let place = place(ofNameIn: input) else { return nil }
        let (bytes, name, value) = (places.bytes, places.name, places.value)
        let shift = place.count - name.count
        let start = value.lowerBound + shift
        guard start <= input.count else { return nil }
        guard let (end, bodyBytes) = self.end(ofValueIn: input, from: start) else { return nil }
        let headBytes = end + bytes.count - value.upperBound
        guard headBytes <= input.count, input.count - headBytes <= bodyBytes,
            isSame(input, 0..<name.lowerBound, at: 0),
            isSame(input, name.upperBound..<value.lowerBound, at: place.upperBound),
            isSame(input, value.upperBound..<bytes.count, at: end)
        else { return nil }
        return Parts(
            target: places.target.lowerBound..<places.target.upperBound + shift, name: place,
            value: start..<end,
            body: headBytes..<input.count, missingBytes: bodyBytes - (input.count - headBytes))
    }

    /// Whether these bytes of the model stand in `input` from `start` on, which has as many, or
    /// among them another value of traceparent.
    private func isSame(
        _ input: UnsafeRawBufferPointer, _ range: Range<Int>, at start: Int
    ) -> Bool {
        let trace = places.trace
        guard !trace.isEmpty, range.contains(trace.lowerBound) else {
            return isEqual(input, range, at: start)
        }
        let traceStart = start + trace.lowerBound - range.lowerBound
        return isEqual(input, range.lowerBound..<trace.lowerBound, at: start)
            && TraceParent.isValue(in: input, at: traceStart)
            && isEqual(input, trace.upperBound..<range.upperBound, at: traceStart + trace.count)
    }

    private func isEqual(
        _ input: UnsafeRawBufferPointer, _ range: Range<Int>, at start: Int
    ) -> Bool {
        places.bytes.withUnsafeBytes { bytes in
            memcmp(bytes.baseAddress! + range.lowerBound, input.baseAddress! + start, range.count)
                == 0
        }
    }

    /// Where in `input` stands what takes the place of the name; nil where nothing does that may.
    private func place(ofNameIn input: UnsafeRawBufferPointer) -> Range<Int>? {
        let name = places.name
        if name.isEmpty { return name }
        return HeadPlaces.nameEnd(in: input, from: name.lowerBound).map { name.lowerBound..<$0 }
    }

    /// Where the value ends that stands in `input` from `start` on, and how much body it announces;
    /// nil where none does.
    private func end(
        ofValueIn input: UnsafeRawBufferPointer, from start: Int
    ) -> (end: Int, bodyBytes: Int)? {
        switch form {
        case .number, .length:
            let number = Self.number(in: input[start...])
            guard Self.digits.contains(number.digits) else { return nil }
            return (start + number.digits, form == .length ? number.value : 0)
        case .word: return HeadPlaces.nameEnd(in: input, from: start).map { ($0, 0) }
        case .nothing, .nothingOfGet: return (start, 0)
        }
    }

    /// The decimal number that bytes begin with, as far as it may be a value.
    private static func number(in bytes: Slice<UnsafeRawBufferPointer>) -> (
        digits: Int, value: Int
    ) {
        var digits = 0
        var value = 0
        for byte in bytes {
            guard let digit = byte.decimalValue else { break }
            digits += 1
            guard digits <= Self.digits.upperBound else { break }
            value = value * 10 + Int(digit)
        }
        return (digits, value)
    }

    /// How long the body is that a head announces; nil when it does not say.
    private static func bodyBytes(of head: RequestHead) -> Int? {
        switch head.bodyLength {
        case .none: 0
        case .counted(let bytes): Int(exactly: bytes)
        case .chunked: nil
        }
    }

    /// 2^53, below which JSON's readers count exactly, has 16.
    private static let digits = 1...16
    /// What makes a request more than its line and a body of known length: something asked of the
    /// connection.
    private static let unknowable: [StaticString] = ["transfer-encoding", "expect", "upgrade"]

    /// Whether nothing is asked of the connection but to be kept or closed, which the context of the
    /// answer says.
    private static func onlyKeepsOrCloses(_ headers: HeaderFields) -> Bool {
        switch headers.occurrences(of: "connection") {
        case 0: true
        case 1:
            headers.withFirst("connection") {
                $0.equalsIgnoringCase("keep-alive") || $0.equalsIgnoringCase("close")
            } == true
        default: false
        }
    }
}
