internal import CMicroHTTPD
internal import Glibc

// The callbacks of libmicrohttpd, which calls them all from inside MHD_run. The context of every
// call is the `State` of its parser, which outlives the daemon.
enum ParserThunks {
    static let requestLine:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { context, target, _ in
            if let target { state(context).lineArrived(target) }
            return context
        }

    static let request: MHD_AccessHandlerCallback = {
        context, parser, _, method, version, _, size, _ in
        guard let parser, let size else { return .NO }
        let line = ParsedLine(parser: parser, method: method, version: version)
        let bodyBytes = size.pointee
        size.pointee = 0
        return state(context).requestArrived(line, bodyBytes: bodyBytes) ? .YES : .NO
    }

    static let connection: MHD_NotifyConnectionCallback = { context, _, _, code in
        if belfry_mhd_is_start(code) == 0 { state(context).closed() }
    }

    /// Leaves everything as it was sent: targets are decoded once, by us, from the raw bytes.
    static let unescape:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in text.map { strlen($0) } ?? 0 }

    static let header: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
        guard let fields = context?.assumingMemoryBound(to: HeaderFields.self), let name, let value
        else { return .NO }
        fields.pointee.append(
            name: UnsafeRawBufferPointer(start: name, count: nameCount),
            value: UnsafeRawBufferPointer(start: value, count: valueCount))
        return .YES
    }

    // Unmanaged: see above.
    private static func state(_ context: UnsafeMutableRawPointer?) -> RequestParser.State {
        Unmanaged<RequestParser.State>.fromOpaque(context!).takeUnretainedValue()
    }
}

/// A request line as libmicrohttpd passes it to a callback; its pointers hold for that call.
struct ParsedLine {
    let parser: OpaquePointer
    let method: UnsafePointer<CChar>?
    let version: UnsafePointer<CChar>?

    /// A copy of the headers behind it.
    var headers: HeaderFields {
        var fields = HeaderFields(reserving: 256, count: 8)
        withUnsafeMutablePointer(to: &fields) {
            belfry_mhd_each_header(parser, ParserThunks.header, $0)
        }
        return fields
    }

    var methodBytes: UnsafeRawBufferPointer { Self.bytes(method) }
    var versionBytes: UnsafeRawBufferPointer { Self.bytes(version) }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: text.map(strlen) ?? 0)
    }
}
