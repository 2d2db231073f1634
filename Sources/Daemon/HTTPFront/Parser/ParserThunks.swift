internal import CMicroHTTPD
internal import Glibc

// Who owns what libmicrohttpd is given, all on the loop's thread:
//
// pointer                 retained by            released by              used last in
// ----------------------  ---------------------  -----------------------  ----------------------
// EventLoop (context)     its thread, for good   its thread, at its end   MHD_stop_daemon
// Connection (socket      `connection`, STARTED  `connection`, CLOSED     that call
//   context)
// Connection (request     nobody: the socket     -                        `completed` of that
//   context)                context holds it                                request
// BodyHolder (free cls)   OutgoingResponse       `freeBody`               that call
// MHD_Response            OutgoingResponse       after queueing; the      the end of the answer
//                                                daemon keeps its own
//
// The daemon calls `connection`, CLOSED, before it closes the descriptor, for every STARTED, at
// the latest in MHD_stop_daemon.
enum ParserThunks {
    /// The pointer that comes back as the first argument of every callback.
    // Unmanaged: the loop outlives the daemon, which it stops before it ends.
    static func context(of loop: EventLoop) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(loop).toOpaque()
    }

    static let requestLine:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { context, target, parser in
            guard let target, let socket = belfry_mhd_socket_context(parser) else { return nil }
            loop(context).requestLineArrived(connection(socket), target: target)
            return socket
        }

    static let request: MHD_AccessHandlerCallback = {
        context, parser, _, method, version, data, size, requestContext in
        guard let socket = requestContext?.pointee, let parser, let size else { return .NO }
        let line = ParsedLine(parser: parser, method: method, version: version)
        let data = UnsafeRawBufferPointer(start: data, count: size.pointee)
        size.pointee = 0
        return loop(context).requestArrived(connection(socket), line, data) ? .YES : .NO
    }

    static let completed: MHD_RequestCompletedCallback = { context, parser, requestContext, _ in
        guard let socket = requestContext?.pointee else { return }
        loop(context).requestCompleted(connection(socket), parser: parser)
    }

    static let connection: MHD_NotifyConnectionCallback = { context, parser, socketContext, code in
        guard let socketContext else { return }
        if belfry_mhd_is_start(code) != 0 {
            guard let connection = loop(context).connectionEnteredParser(parser) else { return }
            // Unmanaged: held by the daemon's connection until CLOSED.
            socketContext.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let socket = socketContext.pointee {
            // Unmanaged: the release of what STARTED retained.
            let connection = Unmanaged<Connection>.fromOpaque(socket).takeRetainedValue()
            loop(context).connectionLeftParser(connection, parser: parser)
        }
    }

    /// Leaves everything as it was sent: targets are decoded once, by us, from the raw bytes.
    static let unescape:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in text.map { strlen($0) } ?? 0 }

    static let header: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
        guard let intake = context?.assumingMemoryBound(to: HeaderIntake.self), let name, let value
        else { return .NO }
        intake.pointee.add(
            UnsafeRawBufferPointer(start: name, count: nameCount),
            UnsafeRawBufferPointer(start: value, count: valueCount))
        return .YES
    }

    static let freeBody: MHD_ContentReaderFreeCallback = { holder in
        guard let holder else { return }
        // Unmanaged: the release of what OutgoingResponse retained.
        Unmanaged<BodyHolder>.fromOpaque(holder).release()
    }

    // Unmanaged: see the table.
    private static func loop(_ context: UnsafeMutableRawPointer?) -> EventLoop {
        Unmanaged<EventLoop>.fromOpaque(context!).takeUnretainedValue()
    }

    // Unmanaged: see the table.
    private static func connection(_ socket: UnsafeMutableRawPointer) -> Connection {
        Unmanaged<Connection>.fromOpaque(socket).takeUnretainedValue()
    }
}

/// What libmicrohttpd says of a request line when it calls; its pointers hold for that call.
struct ParsedLine {
    let parser: OpaquePointer
    let method: UnsafePointer<CChar>?
    let version: UnsafePointer<CChar>?

    var methodBytes: UnsafeRawBufferPointer { Self.bytes(method) }
    var versionBytes: UnsafeRawBufferPointer { Self.bytes(version) }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: text.map(strlen) ?? 0)
    }
}
