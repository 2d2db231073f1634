internal import CMicroHTTPD
internal import Glibc

/// Copies a request's headers out of libmicrohttpd, and watches for what it glosses over.
///
/// One that hides them (`ParserLibrary`) ends names, values and the target at a NUL and glues folded
/// lines together; what is left shows no trace. But it takes requests apart in place: each part lies
/// in memory where the one before it ends. Where a part is missing or has moved, something was
/// swallowed.
struct HeaderIntake {
    private(set) var fields = HeaderFields(reserving: 256, count: 8)
    /// Whether a header was written over several lines.
    private(set) var isFolded = false
    /// Whether bytes lie between the parts that belong to none: a NUL cut a part short.
    private(set) var isCut = false

    /// Where the last part ended; nil where memory tells nothing.
    private var end: UnsafeRawPointer?

    /// The headers of the request whose line's target ended at `targetEnd`.
    init(_ line: ParsedLine, targetEnd: UnsafeRawPointer?) {
        guard let method = line.method, let version = line.version else { return }
        guard ParserLibrary.loaded.hidesBrokenHeaders else {
            visitHeaders(of: line)
            return
        }
        isCut = targetEnd.map { UnsafeRawPointer(version) != $0 + 1 } ?? true
        end = UnsafeRawPointer(version) + strlen(version)
        visitHeaders(of: line)
        let size = belfry_mhd_header_size(line.parser)
        let last = UnsafeRawPointer(method) + size
        // Behind the last header stands the end of its line and the empty line.
        if let end, !(2...4).contains(last - end) { isCut = true }
    }

    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        fields.append(name: name, value: value)
        guard let end, let nameBase = name.baseAddress, let valueBase = value.baseAddress
        else { return }
        let fold = HeaderFolding.isFolded(
            nameBase: nameBase, nameCount: name.count, valueBase: valueBase)
        isFolded = isFolded || fold
        // Behind each part stands the end of its line, CR LF or LF.
        if !fold, !(1...2).contains(nameBase - end) { isCut = true }
        self.end = valueBase + value.count
    }

    private mutating func visitHeaders(of line: ParsedLine) {
        withUnsafeMutablePointer(to: &self) { intake in
            belfry_mhd_each_header(line.parser, ParserThunks.header, intake)
        }
    }
}
