internal import CMicroHTTPD

/// Copies a request's headers out of libmicrohttpd.
struct HeaderIntake {
    private(set) var fields = HeaderFields(reserving: 256, count: 8)

    /// The headers of the request of this line.
    init(_ line: ParsedLine) {
        withUnsafeMutablePointer(to: &self) { intake in
            belfry_mhd_each_header(line.parser, ParserThunks.header, intake)
        }
    }

    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        fields.append(name: name, value: value)
    }
}
